import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../base/errors.js';

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

/** What an attempt knows about the attempts before it. */
export interface Attempt {
  /** Counts from 1. */
  number: number;
  /** Gives the next attempts the whole time again. */
  progressed(): void;
}

/**
 * Repeats `work` while it throws `TransientError`.
 * @throws the other errors of `work`; after `forMs`, what `fail` returns for the message of the last attempt
 */
export async function withRetries<T>(
  { forMs, pauseMs, longestMs }: Patience,
  work: (attempt: Attempt) => Promise<T>,
  fail: (message: string, cause: TransientError) => Error,
): Promise<T> {
  let begun = performance.now();
  let failed = 0;
  for (let number = 1; ; number++) {
    try {
      return await work({
        number,
        progressed() {
          begun = performance.now();
          failed = 0;
        },
      });
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      const pause = Math.min(longestMs, pauseMs * 2 ** failed++) * (1 - Math.random() / 2);
      if (performance.now() + pause - begun > forMs) throw fail(errorMessage(error), error);
      await delay(pause);
    }
  }
}
