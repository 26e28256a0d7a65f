/**
 * These functions return workflow ids. The same work that people start has the same id, so Temporal never runs it twice
 * at the same time. A run that a schedule starts has another id (`scheduledId`).
 */

export function snapshotId(market: string, date: string): string {
  return `snapshot/${market}/${date}`;
}

export function tendersId(date: string): string {
  return `tenders/${date}`;
}

export function watchId(date: string): string {
  return `watch/${date}`;
}

/** Returns the id of a backfill. Ends with the market when the backfill covers one market only. */
export function backfillId(input: {
  from: string;
  to: string;
  streams: readonly string[];
  market: string | null;
}): string {
  const { from, to, streams, market } = input;
  return `backfill/${from}..${to}/${[...streams].sort().join('+')}${market === null ? '' : `/${market}`}`;
}

/** Returns the id of a retry. Ends with the market when the retry covers one market only. */
export function retryId({
  date,
  streams,
  market,
}: {
  date: string;
  streams: readonly string[];
  market: string | null;
}): string {
  return `rejects/${date}/${[...streams].sort().join('+')}${market === null ? '' : `/${market}`}`;
}

/** Returns the id of the run that enriches a market's owners. */
export function ownersId(market: string, date: string): string {
  return `owners/${market}/${date}`;
}

/** Returns an id from the hash of a list of companies. The same list has the same id. */
export function resolveId(hash: string): string {
  return `resolve/${hash}`;
}

/** Returns an id from the hash of a list of people. The same list has the same id. */
export function enrichId(hash: string): string {
  return `enrich/${hash}`;
}

/** Returns an id from the keyed hash of a list of payees. The same list has the same id. */
export function payeesId(hash: string): string {
  return `payees/${hash}`;
}

/** Returns the id of the workflow that delivers an alert. */
export function notifyId(alert: string): string {
  return `notify/${alert}`;
}

/** The id that a Schedule gives its checks for late nights. */
export const CHECK_NIGHTS_ID = 'late-nights/scheduled';

/**
 * Returns the workflow id that a Schedule gives its runs. The Temporal server appends `-<scheduled instant>`:
 * - market `demo`: `snapshot/demo/scheduled-2026-11-20T02:00:00Z`
 * - tenders: `tenders/scheduled-2026-11-20T03:30:00Z`
 */
export function scheduledId(kind: 'snapshot' | 'tenders' | 'watch', market: string | null): string {
  return market === null ? `${kind}/scheduled` : `${kind}/${market}/scheduled`;
}
