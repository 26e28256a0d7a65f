import type { Session } from './sessions.js';

/* HTML pages of the connector. They contain no scripts. Every value from outside is escaped. */

/** Escapes text for HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
  * { box-sizing: border-box }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; color: #1c2430; background: #fff; overflow-wrap: anywhere }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem } h2 { font-size: 1.2rem; margin-top: 2rem } a { color: #0b5cad }
  form { margin: 1rem 0 } label { display: block; font-weight: 600; margin-bottom: .3rem }
  input { font: inherit; width: 100%; padding: .6rem .7rem; margin-bottom: 1rem; border: 1px solid #7a8699; border-radius: 6px }
  button, .button { font: inherit; font-weight: 600; display: block; width: 100%; padding: .65rem 1rem; margin: .6rem 0; border: 1px solid #0b5cad; border-radius: 6px; background: #fff; color: #0b5cad; text-align: center; text-decoration: none; cursor: pointer }
  .main { background: #0b5cad; color: #fff } .quiet { border-color: transparent; font-weight: 400 }
  :focus-visible { outline: 3px solid #f2b033; outline-offset: 2px }
  .error { padding: .7rem .9rem; border-left: 4px solid #a3231f; background: #fdf0ef; color: #7c1a17 }
  .note { color: #5b6675; font-size: .9rem } pre { white-space: pre-wrap; padding: .8rem; background: #f3f5f8; border-radius: 6px; font-size: .85rem }
`;

/** Returns a complete HTML page. `body` is HTML. */
export function page(title: string, body: string): string {
  return (
    `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>\n`
  );
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

function message(text: string | null): string {
  return text === null ? '' : `<p class="error" role="alert">${escapeHtml(text)}</p>`;
}

/** Returns the name of the client that asks for access. Adds the host that receives the answer, if it is known. */
function asker({ client, redirectUri }: Session): string {
  const host = redirectUri === null ? '' : ` at <strong>${escapeHtml(new URL(redirectUri).host)}</strong>`;
  return `<strong>${escapeHtml(client)}</strong>${host}`;
}

/** Returns a form with one button that posts the session id. */
function answer(action: string, session: string, label: string, style: string): string {
  return `<form method="post" action="${action}">${hidden('session', session)}<button class="${style}">${label}</button></form>`;
}

/** Returns the page with the ways to sign in. `error` explains why the last attempt failed. */
export function loginScreen(session: Session, error: string | null): string {
  const query = escapeHtml(new URLSearchParams({ session: session.id }).toString());
  return page(
    'Sign in',
    `${message(error)}<p>${asker(session)} asks for access to company data. Sign in to decide.</p>` +
      `<a class="button main" href="/oauth/sso/start?${query}">Sign in with SSO</a>` +
      `<a class="button" href="/oauth/trial?${query}">Start a trial</a>` +
      answer('/oauth/deny', session.id, 'Cancel', 'quiet'),
  );
}

/** Returns the page that asks for an e-mail address for a trial. */
export function trialScreen(session: string, email: string, error: string | null): string {
  return page(
    'Start a trial',
    `${message(error)}<p>We send you a code by e-mail to confirm the address.</p>` +
      `<form method="post" action="/oauth/trial">${hidden('session', session)}` +
      `<label for="email">E-mail address</label><input id="email" name="email" type="email" maxlength="254" autocomplete="email" value="${escapeHtml(email)}" required>` +
      `<button class="main">Send me a code</button></form>${back(`/oauth/login`, { session }, 'Choose another way')}`,
  );
}

/** Returns the page that asks for the code in the mail. */
export function codeScreen(session: string, email: string, error: string | null): string {
  return page(
    'Enter the code',
    `${message(error)}<p>We sent a code to <strong>${escapeHtml(email)}</strong>. It is valid for ten minutes.</p>` +
      `<form method="post" action="/oauth/trial/verify">${hidden('session', session)}${hidden('email', email)}` +
      `<label for="code">Code</label><input id="code" name="code" inputmode="numeric" maxlength="20" autocomplete="one-time-code" required>` +
      `<button class="main">Continue</button></form>${back('/oauth/trial', { session, email }, 'Send a new code')}` +
      `<p class="note">This is a sandbox: the mail is in the <a href="/_sandbox/outbox" target="_blank">outbox</a>.</p>`,
  );
}

function back(path: string, parameters: Record<string, string>, label: string): string {
  const query = escapeHtml(new URLSearchParams(parameters).toString());
  return `<a class="button quiet" href="${path}?${query}">${label}</a>`;
}

/** Returns the page that asks whether the client may have access. */
export function consentScreen(session: Session): string {
  return page(
    'Allow access?',
    `<p>Signed in as <strong>${escapeHtml(session.person ?? '')}</strong>.</p>` +
      `<p>${asker(session)} will be able to search companies and read their details with your account.</p>` +
      answer('/oauth/consent', session.id, 'Allow', 'main') +
      answer('/oauth/deny', session.id, 'Deny', ''),
  );
}

/**
 * Returns the last page for a program on the person's computer. The page sends the API key in a form. The API key must
 * not be part of an address, because browsers store addresses.
 */
export function keyScreen({ id, clientState, redirectUri }: Session, key: string): string {
  const state = clientState === null ? '' : hidden('state', clientState);
  return page(
    'Access is granted',
    `<p>One step is left: give the API key to the program on your computer.</p>` +
      `<form method="post" action="${escapeHtml(redirectUri ?? '')}">${hidden('session', id)}${state}${hidden('api_key', key)}` +
      `<button class="main">Return to the program</button></form>`,
  );
}

/** Returns a page with one message and nothing to click. */
export function messageScreen(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

/**
 * Returns the page of the sandbox's own identity provider. It offers to sign in as its only person, to cancel, or to
 * fail.
 */
export function identityScreen(state: string): string {
  const link = (parameters: Record<string, string>): string =>
    escapeHtml(`/oauth/sso/callback?${new URLSearchParams({ ...parameters, state }).toString()}`);
  return page(
    'Sandbox sign-on',
    `<p>This page stands for the sign-on service of your organisation.</p>` +
      `<a class="button main" href="${link({ code: 'sandbox-person' })}">Continue as analyst@company.example</a>` +
      `<a class="button" href="${link({ error: 'access_denied' })}">Cancel</a>` +
      `<a class="button quiet" href="${link({ error: 'server_error' })}">Let the sign-on fail</a>`,
  );
}
