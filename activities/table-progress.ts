import { Context } from '@temporalio/activity';
import type { TableProgress } from '../schemas/pipeline/run.js';
import type { Heartbeat } from '../src/crawl/records/deps.js';
import { tableBegun } from '../src/base/observed.js';

// Shortest time between two signals. A signal adds four events to the history of the run, so the time grows with the
// duration of the step: a step of six hours sends fewer than 80 signals.
const SIGNAL_EVERY_MS = 5_000;
const GROWTH = 0.1;

/**
 * Shows on which table an activity works: in its heartbeats, which the CLI reads, and by a signal to its run, which
 * writes the table into its current details.
 * @returns a function that ends the reports
 */
export function reportTables(heartbeat: Heartbeat, step: 'models' | 'publish'): () => void {
  const send = signalRun();
  return tableBegun.listen(({ name, done, total }) => {
    heartbeat.report({ step, done, total, requests: 0, table: name });
    send({ name, done, total });
  });
}

/** Returns a function that signals the activity's run, if the last signal is not too recent. */
function signalRun(): (table: TableProgress) => void {
  const context = Context.current();
  const { workflowId, runId } = context.info.workflowExecution ?? {};
  const began = performance.now();
  let last = began;
  return (table) => {
    const now = performance.now();
    if (workflowId === undefined || now - last < Math.max(SIGNAL_EVERY_MS, (now - began) * GROWTH)) return;
    last = now;
    // The run may have ended. The signal only shows progress, so ignore failures.
    void context.client.workflow
      .getHandle(workflowId, runId)
      .signal('table', table)
      .catch(() => undefined);
  };
}
