import { setTimeout as delay } from 'node:timers/promises';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

const MAX_WAIT_MS = 1_000;

/** Retries of one connection, that end before it does. */
export interface GrpcRetries {
  interceptors: ReturnType<typeof makeGrpcRetryInterceptor>[];
  /** Starts no more retries and waits for those that are due; to be called before the connection is closed. */
  settle(): Promise<void>;
}

/**
 * The client's usual retries, waiting at most a second each. As they come with the client, a retry that is due after
 * the connection was closed throws inside a timer, where nothing can catch it, and ends the process (seen with
 * @temporalio/client 1.24.0: "Channel has been shut down").
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
