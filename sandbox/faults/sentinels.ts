import { FaultRequest, type Fault } from './faults.js';

/*
 * A request with a sentinel id gets a fault without any preparation by a test. The id may be in the path or in the
 * query parameter `id`. No company or person has a sentinel id.
 *
 * The ids 900000400 to 900000599 answer with the status in their last three digits: 900000503 answers 503. The table
 * below lists the other sentinel ids.
 */
const SPECIAL: Readonly<Record<string, Partial<FaultRequest>>> = {
  '001': { kind: 'reset' },
  '002': { kind: 'cut' },
  '003': { kind: 'html' },
  '004': { kind: 'latency', latency: 5000 },
};

/** Returns the last three digits of the sentinel id in a request's address; undefined if there is none. */
function sentinelOf(url: string): string | undefined {
  return /(?:\/|[?&]id=)900000(\d{3})(?=[/?&]|$)/.exec(url)?.[1];
}

/**
 * Returns the fault for the sentinel id in a request's address, if there is one. `bodyOf` returns the error body for a
 * status.
 */
export function sentinelFault(url: string, bodyOf: (status: number) => unknown): Fault | undefined {
  const digits = sentinelOf(url);
  if (digits === undefined) return undefined;
  const status = Number(digits);
  const special = SPECIAL[digits];
  if (!special && (status < 400 || status > 599)) return undefined;
  const request = FaultRequest.parse(special ?? { status, body: bodyOf(status) });
  return { ...request, kind: request.kind ?? 'status', id: 0, seen: 1, struck: 1 };
}
