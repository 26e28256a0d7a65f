import { setTimeout as delay } from 'node:timers/promises';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

const MAX_WAIT_MS = 1_000;

/** The retries of one connection. They can be ended before the connection closes. */
export interface GrpcRetries {
  interceptors: ReturnType<typeof makeGrpcRetryInterceptor>[];
  /**
   * Starts no new retries and waits for the retries that are already due. Call `settle` before closing the connection.
   */
  settle(): Promise<void>;
}

/**
 * Retries like the client's default, but waits at most 1 s. After a longer wait, the connection may already be closed.
 * The retry would then throw inside a timer, where no code can catch the error, and the process would end. Seen with
 * @temporalio/client 1.24.0: "Channel has been shut down".
 */
export function createGrpcRetries(): GrpcRetries {
  const usual = defaultGrpcRetryOptions();
  let closing = false;
  let lastDue = 0;
  const interceptor = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !closing && usual.retryableDecider(attempt, status),
    delayFunction(attempt, status) {
      const wait = Math.min(MAX_WAIT_MS, usual.delayFunction(attempt, status));
      lastDue = Math.max(lastDue, performance.now() + wait);
      return wait;
    },
  });
  return {
    interceptors: [interceptor],
    async settle() {
      closing = true;
      const left = lastDue - performance.now();
      if (left > -50) await delay(left + 50);
    },
  };
}
