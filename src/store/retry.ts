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
