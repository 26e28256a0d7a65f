import { FaultRequest, type Fault } from './faults.js';

/*
 * Ids that bring a fault by themselves, wherever an id is asked for (path or `id` in the query): no script needed.
 * Nobody has them. 900000 and a status answers with it; the others are listed here.
 */
const SPECIAL: Readonly<Record<string, Partial<FaultRequest>>> = {
  '001': { kind: 'reset' },
  '002': { kind: 'cut' },
  '003': { kind: 'html' },
  '004': { kind: 'latency', latency: 5000 },
};

/** Three digits of the sentinel in a request's address, if there is one. */
function sentinelOf(url: string): string | undefined {
  return /(?:\/|[?&]id=)900000(\d{3})(?=[/?&]|$)/.exec(url)?.[1];
}

/** The fault a request's address asks for; `errors` gives the body that belongs to a status. */
export function sentinelFault(url: string, bodyOf: (status: number) => unknown): Fault | undefined {
  const digits = sentinelOf(url);
  if (digits === undefined) return undefined;
  const status = Number(digits);
  const special = SPECIAL[digits];
  if (!special && (status < 400 || status > 599)) return undefined;
  const request = FaultRequest.parse(special ?? { status, body: bodyOf(status) });
  return { ...request, kind: request.kind ?? 'status', id: 0, seen: 1, struck: 1 };
}
