import { Context } from '@temporalio/activity';
import type { Pulse } from '../src/crawl/deps.js';

// Heartbeats are throttled by the SDK anyway; this keeps the calls themselves from costing anything.
const BEAT_EVERY_MS = 500;
// While nothing is answered the activity still lives: without this a slow API would look like a dead worker, and a
// cancelled run, which waits for the activity, would not be heard of.
const KEEP_ALIVE_MS = 1_000;

/** Runs an activity's work with a pulse: progress goes into the heartbeat, cancellation comes out of it. */
export async function withPulse<T>(work: (pulse: Pulse) => Promise<T>): Promise<T> {
  const context = Context.current();
  let latest: unknown;
  let beatenAt = -Infinity;
  const beat = (progress: unknown): void => {
    latest = progress;
    if (performance.now() - beatenAt < BEAT_EVERY_MS) return;
    beatenAt = performance.now();
    context.heartbeat(progress);
  };
  const keepAlive = setInterval(() => context.heartbeat(latest), KEEP_ALIVE_MS);
  try {
    const { attempt, scheduledTimestampMs: since } = context.info;
    return await work({ beat, signal: context.cancellationSignal, attempt, since });
  } catch (error) {
    // A request aborted by cancellation fails in its own words; what matters is that the run was cancelled.
    if (context.cancellationSignal.aborted) return await context.cancelled;
    throw error;
  } finally {
    clearInterval(keepAlive);
  }
}
