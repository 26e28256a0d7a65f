import { Context } from '@temporalio/activity';
import type { Heartbeat } from '../src/crawl/records/deps.js';

// Minimum time between two heartbeats with new progress. The SDK also throttles heartbeats, but this limit also saves
// the calls to the SDK.
const BEAT_EVERY_MS = 500;
// Send heartbeats even while no answer arrives. Without them, Temporal would treat a slow API as a dead worker, and the
// worker would not learn of a cancellation.
const KEEP_ALIVE_MS = 1_000;

/**
 * Part of the heartbeat details, which Temporal passes on to the next attempt. `refused` counts the attempts that
 * workers with another data folder refused.
 */
interface Refusals {
  refused?: number;
}

/** Returns how many attempts were refused so far. `withHeartbeat` subtracts them from the attempt number. */
function refusalsSoFar(): number {
  const { refused } = (Context.current().info.heartbeatDetails ?? {}) as Refusals;
  return typeof refused === 'number' ? refused : 0;
}

/** Counts this attempt as refused, because this worker has another data folder than the run. Returns the new count. */
export function countRefusal(): number {
  const refused = refusalsSoFar() + 1;
  Context.current().heartbeat({ refused });
  return refused;
}

/**
 * Runs an activity's work. Sends heartbeats with its progress, and tells the work when the activity is cancelled.
 * @param slowed says for an operator how the work is slowed down; null if it is not
 * @throws CancelledFailure when the run was cancelled or the worker shuts down
 */
export async function withHeartbeat<T>(
  work: (heartbeat: Heartbeat) => Promise<T>,
  slowed: () => string | null = () => null,
): Promise<T> {
  const context = Context.current();
  const refused = refusalsSoFar();
  const kept: Refusals = refused > 0 ? { refused } : {};
  let latest: object = {};
  let beatenAt = -Infinity;
  const beat = (): void => {
    beatenAt = performance.now();
    const why = slowed();
    context.heartbeat({ ...latest, ...kept, ...(why !== null && { slowed: why }) });
  };
  const report = (progress: object): void => {
    latest = progress;
    if (performance.now() - beatenAt >= BEAT_EVERY_MS) beat();
  };
  const keepAlive = setInterval(beat, KEEP_ALIVE_MS);
  try {
    const { attempt, scheduledTimestampMs: since } = context.info;
    return await work({ report, signal: context.cancellationSignal, attempt: attempt - refused, since });
  } catch (error) {
    // The API client throws its own error for an aborted request. Report the cancellation instead.
    if (context.cancellationSignal.aborted) return await context.cancelled;
    throw error;
  } finally {
    clearInterval(keepAlive);
  }
}
