import type { ApiError } from '../../api/index.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { PartTarget } from '../../landing/index.js';
import { bookingIn, RequestLog } from '../../landing/request-log.js';
import { reopenQuota } from '../read-quota.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { kindOf, NoRoomError, RouteRefusedError } from '../judge/kinds.js';

/** How the work of one attempt ended. */
type End<T> =
  | { how: 'done'; result: T }
  /** The daily limit stopped the work. */
  | { how: 'limited'; error: Error }
  /** The API refuses the route. */
  | { how: 'closed'; error: ApiError };

/** How an attempt ended, how many rows its part holds, and how many requests it sent. */
export type Ended<T> = { rows: number; requests: number } & End<T>;

/** What lands the answers of an attempt: a `PartWriter` or a `ListingWriter`. */
interface Writer {
  commit(): Promise<{ rows: number } | undefined>;
  close(): Promise<void>;
}

/**
 * Runs the work of one attempt, counts its requests, and lands its answers. First lets the client send again after a
 * daily limit, if quota is left. Commits nothing if the daily limit or an error stopped the work; the answers then stay
 * in the spool.
 * @throws the error that ends the attempt
 */
export async function landAttempt<T>(
  { deps, ctx, heartbeat }: { deps: CrawlDeps; ctx: RunContext; heartbeat: Heartbeat },
  { chunk }: PartTarget,
  writer: Writer,
  work: (booking: RequestLog) => Promise<T>,
): Promise<Ended<T>> {
  const booking = new RequestLog(deps.data, ctx.run, chunk);
  let end: End<T>;
  try {
    const result = await bookingIn(booking, async () => {
      await reopenQuota(deps, ctx, heartbeat);
      const done = await work(booking);
      // If cancelled here, don't commit; the next attempt resumes from the spool.
      heartbeat.signal.throwIfAborted();
      return done;
    });
    end = { how: 'done', result };
  } catch (error) {
    if (error instanceof RouteRefusedError) end = { how: 'closed', error: error.refusal };
    else if (error instanceof NoRoomError || kindOf(error) === 'daily') end = { how: 'limited', error: error as Error };
    else {
      await writer.close();
      throw error;
    }
  }
  const { requests } = booking;
  if (end.how !== 'limited') return { ...end, requests, rows: (await writer.commit())?.rows ?? 0 };
  await writer.close();
  return { ...end, requests, rows: 0 };
}
