import { Context } from '@temporalio/activity';
import type { Pulse } from '../src/crawl/deps.js';

// Heartbeats are throttled by the SDK anyway; this keeps the calls themselves from costing anything.
const BEAT_EVERY_MS = 500;
// While nothing is answered the activity still lives: without this a slow API would look like a dead worker, and a
// cancelled run, which waits for the activity, would not be heard of.
const KEEP_ALIVE_MS = 1_000;

/** Kept in the heartbeat over attempts: how many of them another data folder's worker refused. */
interface Refusals {
  refused?: number;
}

/** Attempts of this activity that workers of other data folders refused; they say nothing about the API. */
function refusalsSoFar(): number {
  const { refused } = (Context.current().info.heartbeatDetails ?? {}) as Refusals;
  return typeof refused === 'number' ? refused : 0;
}

/** Counts one more such attempt, this one; gives how many there were. */
export function countRefusal(): number {
  const refused = refusalsSoFar() + 1;
  Context.current().heartbeat({ refused });
  return refused;
}

/** Runs an activity's work with a pulse: progress goes into the heartbeat, cancellation comes out of it. */
export async function withPulse<T>(work: (pulse: Pulse) => Promise<T>): Promise<T> {
  const context = Context.current();
  const refused = refusalsSoFar();
  const kept: Refusals = refused > 0 ? { refused } : {};
  let latest: object = kept;
  let beatenAt = -Infinity;
  const beat = (progress: object): void => {
    latest = { ...progress, ...kept };
    if (performance.now() - beatenAt < BEAT_EVERY_MS) return;
    beatenAt = performance.now();
    context.heartbeat(latest);
  };
  const keepAlive = setInterval(() => context.heartbeat(latest), KEEP_ALIVE_MS);
  try {
    const { attempt, scheduledTimestampMs: since } = context.info;
    return await work({ beat, signal: context.cancellationSignal, attempt: attempt - refused, since });
  } catch (error) {
    // A request aborted by cancellation fails in its own words; what matters is that the run was cancelled.
    if (context.cancellationSignal.aborted) return await context.cancelled;
    throw error;
  } finally {
    clearInterval(keepAlive);
  }
}
