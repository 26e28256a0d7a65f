/** Workflow ids (CONTRACT, "Temporal"): the same work has the same id, so Temporal itself keeps it from running twice. */

export function snapshotId(market: string, date: string): string {
  return `snapshot/${market}/${date}`;
}

export function tendersId(date: string): string {
  return `tenders/${date}`;
}

export function watchId(date: string): string {
  return `watch/${date}`;
}

/** A backfill narrowed to one market is other work than one of all, so its id says so at the end. */
export function backfillId(input: {
  from: string;
  to: string;
  streams: readonly string[];
  market: string | null;
}): string {
  const { from, to, streams, market } = input;
  return `backfill/${from}..${to}/${[...streams].sort().join('+')}${market === null ? '' : `/${market}`}`;
}

/** A retry narrowed to one market or to some streams is other work than one of all. */
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

/** A list of companies by the hash of its content: the same list is the same work. */
export function resolveId(hash: string): string {
  return `resolve/${hash}`;
}

/**
 * Id a Schedule gives its runs. The server appends `-<scheduled instant>`, so a scheduled night of the market `demo`
 * runs as `snapshot/demo/scheduled-2026-11-20T02:00:00Z`, and one of tenders as `tenders/scheduled-2026-11-20T03:30:00Z`.
 */
export function scheduledId(kind: 'snapshot' | 'tenders' | 'watch', market: string | null): string {
  return market === null ? `${kind}/scheduled` : `${kind}/${market}/scheduled`;
}
