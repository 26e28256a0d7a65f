import type { SsoCallbackQuery } from '../../../schemas/connector/sign-in.js';
import type { Caller } from '../caller.js';
import type { Screen } from '../connector-screen.js';
import type { ApiResponse, CallOptions } from '../options.js';
import { screen } from '../route.js';
import type { RequestParts } from '../request.js';

// Some steps must not happen twice: send a mail, try a code, give consent. They have `repeat: 'unsent'`: the client
// retries them only if the request surely did not arrive.
const route = {
  loginScreen: screen('GET /oauth/login'),
  signInWithKey: screen('POST /oauth/login', 'unsent'),
  startSso: screen('GET /oauth/sso/start'),
  endSso: screen('GET /oauth/sso/callback', 'unsent'),
  trialScreen: screen('GET /oauth/trial'),
  startTrial: screen('POST /oauth/trial', 'unsent'),
  verifyTrial: screen('POST /oauth/trial/verify', 'unsent'),
  consentScreen: screen('GET /oauth/consent'),
  accept: screen('POST /oauth/consent', 'unsent'),
  deny: screen('POST /oauth/deny', 'unsent'),
} as const;

/** Options of one sign-in step. */
export interface SignInOptions extends CallOptions {
  /**
   * Cookies of the earlier steps (`Screen.cookies`). Of two cookies with the same name, the client sends the later one.
   */
  cookies?: readonly string[];
}

/**
 * The steps of a sign-in at the connector (reference v1, section "Connector application").
 * - `session` connects the steps. The reference does not show how a session begins.
 * - Each step returns a `Screen`: HTML, or a redirect to the next step. Send its cookies with the next step.
 * - Request keys never contain the session, the code, the SSO state or the API key.
 * @throws PermissionDeniedError for a session that is unknown, expired or from another browser
 * @throws ValidationError for a missing field
 */
export interface SignInEndpoints {
  /** Shows the ways to sign in. */
  loginScreen(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Signs in with the client's own API key, without a browser. The next step is consent. */
  signInWithKey(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Redirects to the organisation's single sign-on. */
  startSso(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /**
   * Ends the single sign-on: sends the code or the error that it returned. `state` comes from the single sign-on and is
   * valid once.
   */
  endSso(query: SsoCallbackQuery, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Shows a form for an e-mail address, filled with `email` if given. */
  trialScreen(session: string, email?: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Creates a trial account and mails a code to the user. Does not sign in yet. */
  startTrial(session: string, email: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /**
   * Checks the code. After a correct code, the next step is consent. After a wrong code, the screen asks for the code
   * again.
   */
  verifyTrial(session: string, email: string, code: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Shows the page that asks the user to give the client access. */
  consentScreen(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Gives the client access: redirects to its address with `code` and `state`. Cannot be undone. */
  accept(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
  /** Denies the client access: redirects to its address with `error=access_denied` and `state`. Cannot be undone. */
  deny(session: string, call?: SignInOptions): Promise<ApiResponse<Screen>>;
}

/** Creates the sign-in endpoints, which send their requests through `caller`. */
export function createSignInEndpoints(caller: Caller, apiKey: () => string): SignInEndpoints {
  const step = async (
    name: keyof typeof route,
    parts: RequestParts,
    call: SignInOptions = {},
  ): Promise<ApiResponse<Screen>> => caller.call(route[name], { ...parts, headers: headersOf(call) }, call);
  return {
    loginScreen: async (session, call) => step('loginScreen', { query: {}, secrets: { session } }, call),
    signInWithKey: async (session, call) =>
      step('signInWithKey', { form: {}, secrets: { session, api_key: apiKey() } }, call),
    startSso: async (session, call) => step('startSso', { query: {}, secrets: { session } }, call),
    endSso: async ({ error, ...secrets }, call) => step('endSso', { query: { error }, secrets }, call),
    trialScreen: async (session, email, call) => step('trialScreen', { query: { email }, secrets: { session } }, call),
    startTrial: async (session, email, call) => step('startTrial', { form: { email }, secrets: { session } }, call),
    verifyTrial: async (session, email, code, call) =>
      step('verifyTrial', { form: { email }, secrets: { session, code } }, call),
    consentScreen: async (session, call) => step('consentScreen', { query: {}, secrets: { session } }, call),
    accept: async (session, call) => step('accept', { form: {}, secrets: { session } }, call),
    deny: async (session, call) => step('deny', { form: {}, secrets: { session } }, call),
  };
}

function headersOf({ cookies = [] }: SignInOptions): Record<string, string> {
  const last = new Map(cookies.map((cookie) => [cookie.split('=', 1)[0], cookie]));
  const cookie = [...last.values()].join('; ');
  return { accept: 'text/html', ...(cookie === '' ? {} : { cookie }) };
}
