import { constants } from 'node:os';
import { tell } from './print.js';

/**
 * Makes an AbortSignal that aborts at the first Ctrl-C, SIGTERM or SIGHUP, so that the command can shut down in order.
 * The second Ctrl-C or signal ends the process at once.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    controller.abort(name);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  return controller.signal;
}

/** Like `interruptSignal`, but also prints what the command does after the first Ctrl-C. */
export function interruptSignalSaying(words: string): AbortSignal {
  const signal = interruptSignal();
  signal.addEventListener('abort', () => tell(`\n${words} (press Ctrl-C again to stop at once)`), { once: true });
  return signal;
}

/** Resolves when the signal aborts. Resolves at once if the signal has already aborted. */
export async function untilAborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

/** Exit code after an orderly shutdown by Ctrl-C or a signal. */
export const INTERRUPTED = 130;
