import { invalid, notFound } from './answers.js';
import type { Answer, Asked, StubState } from './state.js';

/*
 * Payee checks. The reference names the routes, the three decisions and rules for some schemes; everything else here is
 * the stub's choice: ids as text, the decision nested and in lower case, the account repeated in groups.
 */

interface StubCheck {
  id: string;
  asked: Record<string, unknown>;
}

const ROUTE = '/v2/know-your-payee';
const WORDS = ['ok_to_pay', 'review before paying', 'Do-Not-Pay', 'on_hold'];
const NAMES = ['OK_TO_PAY', 'REVIEW_BEFORE_PAYING', 'DO_NOT_PAY', null];

const checksOf = new WeakMap<StubState, StubCheck[]>();

/** Answers a payee route; undefined for any other route. */
export function answerPayees(state: StubState, { method, path, body }: Asked): Answer | undefined {
  if (path !== ROUTE && !path.startsWith(`${ROUTE}/`)) return undefined;
  const checks = checksOf.get(state) ?? [];
  checksOf.set(state, checks);
  const run = (asked: Record<string, unknown>): Answer => {
    checks.push({ id: `kyp-${String(checks.length + 1).padStart(6, '0')}`, asked });
    return { status: 202, body: writeCheck(checks.at(-1)!) };
  };
  if (path === ROUTE) {
    const fault = faultOf(body);
    if (fault !== null) return { ...invalid(state, ...fault), status: 400 };
    return run(body);
  }
  const id = decodeURIComponent(path.slice(ROUTE.length + 1));
  const earlier = checks.find((check) => check.id === id);
  if (earlier === undefined) return notFound(state);
  return method === 'POST' ? run(earlier.asked) : { status: 203, body: writeReport(earlier) };
}

/** The decision of an account; null if the stub answers another word than the reference has. */
export function decisionTruth(account: string): string | null {
  return NAMES[kindOf(account)] ?? null;
}

function kindOf(account: string): number {
  return Array.from(account).reduce((sum, sign) => sum + sign.codePointAt(0)!, 0) % WORDS.length;
}

function faultOf({ id, id_scheme, holding_entity }: Record<string, unknown>): [field: string, message: string] | null {
  if (typeof id !== 'string' || id === '') return ['id', 'Required.'];
  if (id_scheme === 'UPI') return ['id', `${id} is of no valid scheme.`];
  if (String(id_scheme).includes('ACNR') && !holding_entity)
    return ['holding_entity', `Required for the account ${id}.`];
  return null;
}

function writeCheck({ id, asked }: StubCheck): unknown {
  const account = String(asked['id']);
  return {
    data: {
      id,
      account: { shown: grouped(account), digits: /^\d{5,15}$/.test(account) ? Number(account) : undefined },
      outcome: {
        decision: WORDS[kindOf(account)],
        note: `Bank confirms ${grouped(account)} for ${String(asked['name'])}.`,
      },
    },
  };
}

function writeReport({ id, asked }: StubCheck): unknown {
  const account = String(asked['id']);
  return { report: { id, steps: [{ step: 'bank', iban: grouped(account), tail: account.slice(4) }] } };
}

function grouped(account: string): string {
  return account.replaceAll(/.{4}(?=.)/g, '$& ');
}
