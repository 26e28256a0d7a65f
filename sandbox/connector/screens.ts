/* The connector's screens: HTML without scripts. All that comes from outside is escaped. */

/** Text made safe inside markup and attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1c2430 }
  h1 { font-size: 1.4rem } a, button { color: #0b5cad }
  form { margin: 1rem 0 } label { display: block; margin-bottom: .3rem }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin-bottom: .8rem; border: 1px solid #98a2b3; border-radius: 4px }
  button, .button { font: inherit; display: inline-block; padding: .5rem 1.2rem; border: 1px solid #0b5cad; border-radius: 4px; background: #fff; text-decoration: none; cursor: pointer }
  .main { background: #0b5cad; color: #fff } .error { color: #a3231f } .note { color: #5b6675; font-size: .9rem }
`;

/** A whole page; `body` is markup. */
export function page(title: string, body: string): string {
  return (
    `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>\n`
  );
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

function message(text: string | null): string {
  return text === null ? '' : `<p class="error" role="alert">${escapeHtml(text)}</p>`;
}

/** Choice of ways to sign in. */
export function loginScreen(session: string, client: string): string {
  const query = new URLSearchParams({ session }).toString();
  return page(
    'Sign in',
    `<p><strong>${escapeHtml(client)}</strong> asks for access to company data.</p>` +
      `<p><a class="button main" href="/oauth/sso/start?${escapeHtml(query)}">Sign in with SSO</a></p>` +
      `<p><a class="button" href="/oauth/trial?${escapeHtml(query)}">Start a trial</a></p>`,
  );
}

/** Trial sign-up: asks for an e-mail address. */
export function trialScreen(session: string, email: string, error: string | null): string {
  return page(
    'Start a trial',
    `${message(error)}<form method="post" action="/oauth/trial">${hidden('session', session)}` +
      `<label for="email">E-mail address</label><input id="email" name="email" type="email" value="${escapeHtml(email)}" required>` +
      `<button class="main">Send me a code</button></form>`,
  );
}

/** Asks for the code that was mailed. */
export function codeScreen(session: string, email: string, error: string | null): string {
  return page(
    'Enter the code',
    `${message(error)}<p>We sent a code to <strong>${escapeHtml(email)}</strong>.</p>` +
      `<form method="post" action="/oauth/trial/verify">${hidden('session', session)}${hidden('email', email)}` +
      `<label for="code">Code</label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>` +
      `<button class="main">Continue</button></form>` +
      `<p class="note">This is a sandbox: the mail is at <a href="/_sandbox/outbox">/_sandbox/outbox</a>.</p>`,
  );
}

/** Asks whether the client may have access. */
export function consentScreen(session: string, client: string, person: string): string {
  return page(
    'Allow access?',
    `<p>Signed in as <strong>${escapeHtml(person)}</strong>.</p>` +
      `<p><strong>${escapeHtml(client)}</strong> will be able to search companies and read their details with your account.</p>` +
      `<form method="post" action="/oauth/consent">${hidden('session', session)}<button class="main">Allow</button></form>` +
      `<form method="post" action="/oauth/deny">${hidden('session', session)}<button>Deny</button></form>`,
  );
}

/** A sentence and nothing to do. */
export function messageScreen(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

/** The sandbox's own identity provider: one person, two ways out. */
export function identityScreen(state: string): string {
  const link = (parameters: Record<string, string>): string =>
    escapeHtml(`/oauth/sso/callback?${new URLSearchParams({ ...parameters, state }).toString()}`);
  return page(
    'Sandbox sign-on',
    `<p class="note">Stands for your organisation's sign-on page.</p>` +
      `<p><a class="button main" href="${link({ code: 'sandbox-person' })}">Continue as analyst@company.example</a></p>` +
      `<p><a class="button" href="${link({ error: 'access_denied' })}">Cancel</a></p>`,
  );
}
