import type { Client } from '@temporalio/client';

/** The last ended run of a workflow type and market. */
export interface EndedRun {
  workflowId: string;
  type: string;
  /** Null for runs without a market. */
  market: string | null;
  /** Logical date, YYYY-MM-DD. Null if the run failed before it set its date. */
  date: string | null;
  /** Run id of the first execution, as in ops.runs. */
  run: string;
  outcome: string;
  heldBack: boolean;
  finishedAt: string;
  /** Why the run failed, with the remedy. Null if it did not fail. */
  error: string | null;
}

/**
 * Reads the last ended run of each workflow type and market from Temporal. A failed run publishes nothing, so the
 * published warehouse does not have it.
 * @param markets names of the configured markets; runs of other markets are left out
 */
export async function endedRuns(client: Client, markets: readonly string[]): Promise<EndedRun[]> {
  const { createLastRuns } = await import('../../temporal/runs/last-runs.js');
  const runs = await createLastRuns(client)();
  return runs
    .filter(({ market }) => market === '' || markets.includes(market))
    .toSorted((a, b) => b.finishedAt - a.finishedAt)
    .map(({ workflowId, workflowType, market, date, run, outcome, heldBack, finishedAt, error }) => ({
      workflowId,
      type: workflowType,
      market: market === '' ? null : market,
      date,
      run,
      outcome,
      heldBack,
      finishedAt: new Date(finishedAt * 1_000).toISOString(),
      error,
    }));
}
