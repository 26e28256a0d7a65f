/** Returns the record of a snapshot that found everything; of an open run if `finished` is null. */
export function runRecord(
  { run, market, date }: { run: string; market: string; date: string },
  started: Date,
  finished: Date | null,
): object {
  return {
    run_id: run,
    workflow_id: `snapshot/${market}/${date}`,
    workflow_type: 'marketSnapshot',
    market,
    date,
    as_of_now: true,
    started_at: started.toISOString(),
    finished_at: finished?.toISOString() ?? null,
    outcome: finished ? 'complete' : 'running',
    crawled: finished ? 'complete' : null,
    requests: 1,
    rows: 1,
    config_hash: 'c',
    filters: {},
    note: null,
    held_back: null,
  };
}
