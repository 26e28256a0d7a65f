import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** Where a sign-in stands. */
export type SessionState = 'new' | 'authenticated' | 'granted' | 'denied';

/** One sign-in of one person on behalf of one client. */
export interface Session {
  /** The `session` value; nobody but this server makes one. */
  id: string;
  client: string;
  /** Where consent or refusal is told to; fixed when the session is made, so that no link can bend it. */
  redirectUri: string | null;
  /** Handed back to the client with the outcome. */
  clientState: string | null;
  state: SessionState;
  /** Value of the cookie of the browser it belongs to; null while none has opened it. */
  proof: string | null;
  /** Who signed in. */
  person: string | null;
  ssoState: string | null;
  trial: { email: string; code: string; triesLeft: number; sentAt: number } | null;
  /** Trial codes mailed so far. */
  codesSent: number;
  /** Authorization code, once granted. */
  code: string | null;
  createdAt: number;
}

export const LIFETIME_MS = 30 * 60_000;
const CODE_LIFETIME_MS = 10 * 60_000;
const CODE_TRIES = 5;
/** Each code brings new tries: without a bound on codes there would be none on guesses. */
const CODES = 5;
const KEPT = 1000;

export function token(): string {
  return randomBytes(24).toString('base64url');
}

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The sign-ins under way. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  create(client: string, redirectUri: string | null, clientState: string | null, now: number): Session {
    const session: Session = {
      id: token(),
      client,
      redirectUri,
      clientState,
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

  /** A session that is not over its time. */
  get(id: string, now: number): Session | undefined {
    const session = this.#sessions.get(id);
    return session && now - session.createdAt < LIFETIME_MS ? session : undefined;
  }

  /** The session whose SSO sign-in a callback ends; its state works once. */
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
 * Makes a code for a trial sign-up: six digits, five tries, ten minutes. A new one takes the place of the old; null when
 * the session has had its five.
 */
export function startTrial(session: Session, email: string, now: number): string | null {
  if (session.codesSent >= CODES) return null;
  session.codesSent++;
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  session.trial = { email, code, triesLeft: CODE_TRIES, sentAt: now };
  return code;
}

/** Tries a code: null when it is right, otherwise what is wrong in words for the person. */
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

/** A person has shown who they are. */
export function authenticate(session: Session, person: string): void {
  session.state = 'authenticated';
  session.person = person;
}

/** Whether a session has its outcome, which is final. */
export function isSettled({ state }: Session): boolean {
  return state === 'granted' || state === 'denied';
}

/** Ends a session; gives the address the client is told at, null when it named none. */
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
