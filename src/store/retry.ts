import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../base/errors.js';
import { isStorageError } from './errors.js';

/** A failure after which the same request may succeed. The request may have been carried out nevertheless. */
export class TransientError extends Error {}

/** How long to repeat requests, and the pauses between attempts, in milliseconds. */
export interface Patience {
  /** No new attempt begins so long after the first one, or after the last progress. */
  forMs: number;
  /** First pause. Each later pause is twice as long, up to `longestMs`, less a random part of up to a half. */
  pauseMs: number;
  longestMs: number;
}

/** Survives a restart of a gateway. */
export const PATIENCE: Patience = { forMs: 60_000, pauseMs: 100, longestMs: 5_000 };

/** Believe a refusal that comes this often in a row. A single one may come from a gateway that is being changed. */
const REFUSALS = 3;

/**
 * Repeats `work` after each `TransientError`, and after the first refusals (`StorageError` `denied`).
 * @param work gets a function that gives the next attempts the whole time again
 * @throws the other errors of `work`; the third refusal in a row; after `forMs`, the last refusal, or what `fail` returns
 * for the message of the last attempt
 */
export async function withRetries<T>(
  { forMs, pauseMs, longestMs }: Patience,
  work: (progressed: () => void) => Promise<T>,
  fail: (message: string, cause: TransientError) => Error,
): Promise<T> {
  let begun = performance.now();
  let failed = 0;
  const progressed = (): void => {
    begun = performance.now();
    failed = 0;
  };
  for (let refusals = 0; ;) {
    try {
      return await work(progressed);
    } catch (error) {
      refusals = isStorageError(error, 'denied') ? refusals + 1 : 0;
      const isTransient = error instanceof TransientError;
      if (refusals === REFUSALS || (refusals === 0 && !isTransient)) throw error;
      const pause = Math.min(longestMs, pauseMs * 2 ** failed++) * (1 - Math.random() / 2);
      if (performance.now() + pause - begun > forMs) throw isTransient ? fail(errorMessage(error), error) : error;
      await delay(pause);
    }
  }
}
