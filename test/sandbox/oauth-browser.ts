import type { Running } from './running.js';

/** The client of the sign-ins: its address has a query, its name contains markup. */
export const CLIENT = 'https://assistant.example/callback?keep=1';

/** Begins a sign-in; returns the session's value. */
export async function newSession(
  app: Running,
  body: object = { redirect_uri: CLIENT, state: 'abc', client: '<Assistant>' },
): Promise<string> {
  return (await app.send<{ session: string }>('POST', '/_sandbox/oauth/sessions', body)).body.session;
}

/** State of a session from the control routes. */
export async function stateOf(app: Running, session: string): Promise<Record<string, unknown>> {
  return (await app.get<Record<string, unknown>>(`/_sandbox/oauth/sessions/${session}`)).body;
}

/** The code in the newest mail. */
export async function lastCode(app: Running): Promise<string> {
  const [mail] = (await app.get<{ text: string }[]>('/_sandbox/outbox')).body;
  return /\d{6}/.exec(mail!.text)![0];
}

/** Address of the first link on a screen that matches a pattern. */
export function linkIn(html: string, start: string): string {
  return new RegExp(`href="(${start}[^"]*)"`).exec(html)![1]!.replaceAll('&amp;', '&');
}

export interface Visit {
  status: number;
  html: string;
  location: string | null;
  headers: Headers;
}

/** A minimal browser over HTTP: keeps cookies, follows redirects within the site, stops at others. */
export class HttpBrowser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(app: Running) {
    this.#url = app.url;
  }

  async visit(
    path: string,
    init: { form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.#url + path, {
      method: init.form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
      ...(init.form && { body: new URLSearchParams(init.form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0]!.split('=') as [string, string];
      this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location?.startsWith('/')) return this.visit(location);
    return { status: response.status, html: await response.text(), location, headers: response.headers };
  }

  /** Signs in by SSO; returns the consent screen. */
  async signInBySso(session: string): Promise<Visit> {
    const provider = await this.visit(`/oauth/sso/start?session=${session}`);
    return this.visit(linkIn(provider.html, '/oauth/sso/callback\\?code'));
  }
}
