import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiError } from '../../api/index.js';
import { bookingIn, RequestLog } from '../../landing/request-log.js';
import { reopenQuota } from '../read-quota.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { kindOf, NoRoomError, RouteRefusedError } from '../judge/kinds.js';

/** How the work of one attempt ended. */
export type Ended<T> = { requests: number } & (
  | { how: 'done'; result: T }
  /** The daily limit stopped the work. */
  | { how: 'limited'; error: Error }
  /** The API refuses the route. */
  | { how: 'closed'; refusal: ApiError }
);

/**
 * Runs the work of one attempt and counts its requests. First lets the client send again after a daily limit, if quota
 * is left. If it throws, it closes the writer.
 * @param name name of the request log
 * @throws the error that ends the attempt
 */
export async function runAttempt<T>(
  { deps, ctx, heartbeat }: { deps: CrawlDeps; ctx: RunContext; heartbeat: Heartbeat },
  name: string,
  writer: { close(): Promise<void> },
  work: (booking: RequestLog) => Promise<T>,
): Promise<Ended<T>> {
  const booking = new RequestLog(deps.data, ctx.run, name);
  try {
    const result = await bookingIn(booking, async () => {
      await reopenQuota(deps, ctx, heartbeat);
      const done = await work(booking);
      // If cancelled here, don't commit; the next attempt resumes from the spool.
      heartbeat.signal.throwIfAborted();
      return done;
    });
    return { how: 'done', result, requests: booking.requests };
  } catch (error) {
    const { requests } = booking;
    if (error instanceof RouteRefusedError) return { how: 'closed', refusal: error.refusal, requests };
    if (error instanceof NoRoomError || kindOf(error) === 'daily')
      return { how: 'limited', error: error as Error, requests };
    await writer.close();
    throw error;
  }
}
