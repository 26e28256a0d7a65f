import type { SsoCallbackQuery } from '../../../schemas/connector/sign-in.js';
import type { Caller } from '../caller.js';
import type { Screen } from '../connector-screen.js';
import type { CallOptions } from '../options.js';
import type { RequestParts } from '../request.js';
import { screen, type Route } from '../route.js';

/** Options of one sign-in step. */
export interface SignInOptions extends CallOptions {
  /**
   * Cookies of the earlier steps (`Screen.cookies`). Of two cookies with the same name, the client sends the later one.
   */
  cookies?: readonly string[];
}

/**
 * Creates the steps of a sign-in at the connector (reference v1, section "Connector application").
 * - `session` connects the steps. The reference does not show how a session begins.
 * - Each step returns a `Screen`: HTML, or a redirect to the next step. Send its cookies with the next step.
 * - Request keys never contain the session, the code, the SSO state or the API key.
 *
 * The steps throw PermissionDeniedError for a session that is unknown, expired or from another browser, and
 * ValidationError for a missing field.
 */
export function createSignInEndpoints(caller: Caller, apiKey: () => string) {
  const step = async (route: Route<Screen>, parts: RequestParts, call?: SignInOptions) =>
    caller.call(route, { ...parts, headers: headersOf(call) }, call);
  // Some steps must not happen twice: send a mail, try a code, give consent. The client retries them only if the request
  // surely did not arrive.
  const once = (endpoint: string): Route<Screen> => screen(endpoint, 'unsent');
  return {
    /** Shows the ways to sign in. */
    loginScreen: async (session: string, call?: SignInOptions) =>
      step(screen('GET /oauth/login'), { query: {}, secrets: { session } }, call),
    /** Signs in with the client's own API key, without a browser. The next step is consent. */
    signInWithKey: async (session: string, call?: SignInOptions) =>
      step(once('POST /oauth/login'), { form: {}, secrets: { session, api_key: apiKey() } }, call),
    /** Redirects to the organisation's single sign-on. */
    startSso: async (session: string, call?: SignInOptions) =>
      step(screen('GET /oauth/sso/start'), { query: {}, secrets: { session } }, call),
    /**
     * Ends the single sign-on: sends the code or the error that it returned. `state` comes from the single sign-on and
     * is valid once.
     */
    endSso: async ({ error, ...secrets }: SsoCallbackQuery, call?: SignInOptions) =>
      step(once('GET /oauth/sso/callback'), { query: { error }, secrets }, call),
    /** Shows a form for an e-mail address, filled with `email` if given. */
    trialScreen: async (session: string, email?: string, call?: SignInOptions) =>
      step(screen('GET /oauth/trial'), { query: { email }, secrets: { session } }, call),
    /** Creates a trial account and mails a code to the user. Does not sign in yet. */
    startTrial: async (session: string, email: string, call?: SignInOptions) =>
      step(once('POST /oauth/trial'), { form: { email }, secrets: { session } }, call),
    /**
     * Checks the code. After a correct code, the next step is consent. After a wrong code, the screen asks for the code
     * again.
     */
    verifyTrial: async (session: string, email: string, code: string, call?: SignInOptions) =>
      step(once('POST /oauth/trial/verify'), { form: { email }, secrets: { session, code } }, call),
    /** Shows the page that asks the user to give the client access. */
    consentScreen: async (session: string, call?: SignInOptions) =>
      step(screen('GET /oauth/consent'), { query: {}, secrets: { session } }, call),
    /** Gives the client access: redirects to its address with `code` and `state`. Cannot be undone. */
    accept: async (session: string, call?: SignInOptions) =>
      step(once('POST /oauth/consent'), { form: {}, secrets: { session } }, call),
    /** Denies the client access: redirects to its address with `error=access_denied` and `state`. Cannot be undone. */
    deny: async (session: string, call?: SignInOptions) =>
      step(once('POST /oauth/deny'), { form: {}, secrets: { session } }, call),
  };
}

function headersOf({ cookies = [] }: SignInOptions = {}): Record<string, string> {
  const last = new Map(cookies.map((cookie) => [cookie.split('=', 1)[0], cookie]));
  const cookie = [...last.values()].join('; ');
  return { accept: 'text/html', ...(cookie === '' ? {} : { cookie }) };
}
