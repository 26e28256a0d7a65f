import { constants } from 'node:os';
import { tell } from './print.js';

/**
 * A signal that fires on the first Ctrl-C or SIGTERM, so that a command can end in order; the second one ends the
 * process at once.
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

/** As `interruptSignal`, and says what happens next. */
export function interruptSignalSaying(words: string): AbortSignal {
  const signal = interruptSignal();
  signal.addEventListener('abort', () => tell(`\n${words} (press Ctrl-C again to stop at once)`), { once: true });
  return signal;
}

/** Resolves when the signal fires, or has fired. */
export async function untilAborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

/** Exit code of a process that a signal ended in order. */
export const INTERRUPTED = 130;
