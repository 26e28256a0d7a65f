import { ApplicationFailure } from '@temporalio/common';

// Temporal keeps at most 4 KB of the last failure of an activity that it retries. Of a larger failure, it shows only
// "Failure exceeds size limit", so the operator would see no cause and no remedy.
const MOST_BYTES = 3_000;
const HEAD = 1_000;
// If the message has a remedy, the remedy is at its end.
const TAIL = 500;
const STACK = 400;

/** Shortens a failure that Temporal retries: cuts the middle of its message and leaves out its causes. */
export function shortenRetried(failure: ApplicationFailure): ApplicationFailure {
  if (failure.nonRetryable || sizeOf(failure) <= MOST_BYTES) return failure;
  const { message, type } = failure;
  const short = ApplicationFailure.create({
    message: message.length <= HEAD + TAIL ? message : `${message.slice(0, HEAD)} … ${message.slice(-TAIL)}`,
    nonRetryable: false,
    ...(type ? { type } : {}),
  });
  short.stack = failure.stack?.slice(failure.stack.indexOf('\n    at ') + 1).slice(0, STACK) ?? '';
  return short;
}

/** Bytes of the messages and stacks of an error and its causes. */
function sizeOf(error: Error): number {
  const own = Buffer.byteLength(error.message) + Buffer.byteLength(error.stack ?? '');
  return own + (error.cause instanceof Error ? sizeOf(error.cause) : 0);
}
