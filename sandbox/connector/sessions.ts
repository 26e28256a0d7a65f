import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/**
 * State of a sign-in:
 *
 * - `new`: created. A sign-in leads to `authenticated`, a refusal to `denied`.
 * - `authenticated`: the person is known. Consent leads to `granted`, a refusal to `denied`.
 * - `granted`, `denied`: final.
 *
 * In every state, a session expires 30 minutes after its creation.
 */
export type SessionState = 'new' | 'authenticated' | 'granted' | 'denied';

/** The sign-in of one person for one client. */
export interface Session {
  /** Value of the parameter `session`. Created by this server, or by the client if it runs on the user's own computer. */
  id: string;
  client: string;
  /** Address that receives the result. It is set at creation and never changes, so no link can replace it. */
  redirectUri: string | null;
  /** Value of the client's parameter `state`. The client gets this value back with the result. */
  clientState: string | null;
  state: SessionState;
  /** Value of the session's cookie; null until a browser opens the session. */
  proof: string | null;
  /** The person who signed in; null before the sign-in. */
  person: string | null;
  ssoState: string | null;
  trial: { email: string; code: string; triesLeft: number; sentAt: number } | null;
  /** Number of trial codes mailed so far. */
  codesSent: number;
  /**
   * Whether the client is a program on the user's own computer, such as `tidemark login`. Such a client gets the API key
   * itself, because no route exchanges a code for an API key.
   */
  getsKey: boolean;
  /** Authorization code; null until access is granted. */
  code: string | null;
  createdAt: number;
}

export const LIFETIME_MS = 30 * 60_000;
const CODE_LIFETIME_MS = 10 * 60_000;
const CODE_TRIES = 5;
/**
 * Maximum number of codes for a session. Each code allows new attempts. Without this limit, a client could guess codes
 * without end.
 */
const CODES = 5;
const KEPT = 1000;

export function token(): string {
  return randomBytes(24).toString('base64url');
}

/** Compares two secrets in constant time, because the time must not show where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Holds the latest 1,000 sign-ins. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  create(client: string, redirectUri: string | null, clientState: string | null, now: number): Session {
    return this.#add(token(), { client, redirectUri, clientState, getsKey: false }, now);
  }

  /**
   * Begins a sign-in for a program on the person's computer. The program has chosen the value of the parameter
   * `session`. Returns undefined if this value was used before (also by an expired session), or if it is so short that
   * somebody could guess it.
   */
  begin(id: string, redirectUri: string, clientState: string | null, now: number): Session | undefined {
    if (this.#sessions.has(id) || !/^[\w-]{32,128}$/.test(id)) return undefined;
    return this.#add(id, { client: 'A program on your computer', redirectUri, clientState, getsKey: true }, now);
  }

  #add(id: string, client: Pick<Session, 'client' | 'redirectUri' | 'clientState' | 'getsKey'>, now: number): Session {
    const session: Session = {
      id,
      ...client,
      state: 'new',
      proof: null,
      person: null,
      ssoState: null,
      trial: null,
      codesSent: 0,
      code: null,
      createdAt: now,
    };
    this.#sessions.set(session.id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > KEPT && oldest !== undefined) this.#sessions.delete(oldest);
    return session;
  }

  /** Returns a session that has not expired. */
  get(id: string, now: number): Session | undefined {
    const session = this.#sessions.get(id);
    return session && now - session.createdAt < LIFETIME_MS ? session : undefined;
  }

  /** Finds the session of an SSO callback by its `state` value. Each `state` value works only once. */
  takeSsoState(state: string, now: number): Session | undefined {
    if (state === '') return undefined;
    for (const { id, ssoState } of this.#sessions.values()) {
      const session = ssoState !== null && sameSecret(ssoState, state) ? this.get(id, now) : undefined;
      if (!session) continue;
      session.ssoState = null;
      return session;
    }
    return undefined;
  }
}

/**
 * Creates a code for a trial sign-up. The code has six digits. It is valid for ten minutes and five attempts, and
 * replaces the earlier code.
 *
 * @returns null after five codes in this session
 */
export function startTrial(session: Session, email: string, now: number): string | null {
  if (session.codesSent >= CODES) return null;
  session.codesSent++;
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  session.trial = { email, code, triesLeft: CODE_TRIES, sentAt: now };
  return code;
}

/** Checks a code that a person typed. Returns null for the right code, else a message for the person. */
export function tryCode(session: Session, email: string, code: string, now: number): string | null {
  const { trial } = session;
  if (trial === null || now - trial.sentAt > CODE_LIFETIME_MS)
    return 'This code is no longer valid. Ask for a new one.';
  if (trial.triesLeft <= 0) return 'Too many wrong codes. Ask for a new one.';
  trial.triesLeft--;
  const right = sameSecret(trial.email, email.trim().toLowerCase()) && sameSecret(trial.code, code.trim());
  if (!right) return 'This is not the code that was sent.';
  session.trial = null;
  return null;
}

/** Records the person who signed in. */
export function authenticate(session: Session, person: string): void {
  session.state = 'authenticated';
  session.person = person;
}

/** Returns whether a session has its final result. */
export function isSettled({ state }: Session): boolean {
  return state === 'granted' || state === 'denied';
}

/**
 * Ends a session with a result.
 *
 * @returns The client's address with the result; null when the client gave no address
 */
export function settle(session: Session, outcome: 'granted' | 'denied'): string | null {
  session.state = outcome;
  session.code = outcome === 'granted' ? token() : null;
  if (session.redirectUri === null) return null;
  const address = new URL(session.redirectUri);
  if (session.code === null) address.searchParams.set('error', 'access_denied');
  else address.searchParams.set('code', session.code);
  if (session.clientState !== null) address.searchParams.set('state', session.clientState);
  return address.href;
}
