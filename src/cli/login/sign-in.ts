import { TidemarkError } from '../../base/errors.js';
import { isInEnvironment, storeKey } from '../../config/stored-key.js';
import { storedKeyFile } from '../../store/data-folder.js';
import { openLoopback, type Loopback } from './loopback.js';
import { openBrowser } from './open-browser.js';
import { readOutcome } from './outcome.js';
import type { CliContext } from '../context.js';
import { readHidden } from '../terminal/hidden-prompt.js';
import { INTERRUPTED, interruptSignal } from '../terminal/interrupt.js';
import { say, tell } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import { checkConnector } from './check-connector.js';
import { connectorWarning, verifyKey } from './verify-key.js';
import { MINUTE_MS } from '../../base/time/time.js';

/** Options of `tidemark login`. */
export interface LoginOptions {
  browser: boolean;
  /** Minutes to wait for the sign-in. */
  timeout: number;
}

/**
 * Signs the person in, then checks and stores the API key. Takes the first API key that the connector sends or the
 * person types.
 * @returns exit code: 0, or 130 after Ctrl-C
 * @throws TidemarkError when the sign-in is refused, takes too long, or gives an API key that the API refuses
 */
export async function signIn({ config, clock }: CliContext, options: LoginOptions): Promise<number> {
  const connectorUrl = config.api.connectorUrl ?? config.api.baseUrl;
  const interrupted = interruptSignal();
  await checkConnector(config, clock);
  const loopback = await openLoopback(connectorUrl);
  try {
    await invite(loopback, connectorUrl, options);
    const key = await waitForKey(loopback, options.timeout, interrupted);
    if (key === null) return INTERRUPTED;
    await verifyKey(config, clock, key);
    await storeKey(config, key);
    const file = showPath(storedKeyFile(config.dataDir));
    say(`Signed in. The API key is stored in ${file}. Commands and workers with this data folder use it.`);
    const warning = await connectorWarning(config, clock, key);
    if (warning !== null) tell(`! ${warning}`);
    if (isInEnvironment())
      tell(
        'TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE is set, so commands do not use the stored API key. Unset the variable.',
      );
    return 0;
  } finally {
    await loopback.close();
  }
}

async function invite({ startUrl, loginUrl }: Loopback, connectorUrl: string, options: LoginOptions): Promise<void> {
  const opened = options.browser && (await openBrowser(startUrl));
  say(opened ? `Sign in at ${connectorUrl} in the browser that opens. If no browser opens, visit:` : 'Sign in at:');
  say(`  ${loginUrl}`);
  tell(`Waiting for the sign-in, at most ${options.timeout} minutes.`);
}

/** Waits for the API key from the connector or from the person; null after Ctrl-C. */
async function waitForKey(loopback: Loopback, minutes: number, interrupted: AbortSignal): Promise<string | null> {
  const stop = AbortSignal.any([interrupted, AbortSignal.timeout(minutes * MINUTE_MS)]);
  const settled = new AbortController();
  const typed = typedKey(AbortSignal.any([stop, settled.signal]));
  try {
    const key = await Promise.race([fromConnector(loopback, typed), typed.then(ifGiven), aborted(stop)]);
    if (key !== null) return key;
    if (interrupted.aborted) return null;
    throw new TidemarkError('Unauthorized', `Nobody signed in within ${minutes} minutes.`, {
      todo: 'Run `tidemark login` again. If no browser reaches this machine, use `tidemark login --no-browser` and type the API key.',
    });
  } finally {
    settled.abort();
  }
}

async function typedKey(signal: AbortSignal): Promise<string | null> {
  return (await readHidden('Or paste your API key here (it is not shown): ', signal)) || null;
}

/** Returns the API key that the connector sends; if it sends none, the API key that the person types. */
async function fromConnector({ answer }: Loopback, typed: Promise<string | null>): Promise<string> {
  const outcome = readOutcome(await answer);
  if (outcome.kind === 'key') return outcome.key;
  if (outcome.kind === 'refused') {
    throw new TidemarkError('Unauthorized', `The sign-in was refused (${outcome.reason.slice(0, 100)}).`, {
      todo: 'Run `tidemark login` again and allow the access.',
    });
  }
  tell(
    '\nYou are signed in, but the connector sent no API key. Copy your API key from your profile and paste it here.',
  );
  const key = await typed;
  if (key !== null) return key;
  throw new TidemarkError('Unauthorized', 'The connector sent no API key, and nobody typed one.', {
    todo: 'Run `tidemark login --no-browser` in a terminal and type the API key, or set TIDEMARK_API_KEY_FILE.',
  });
}

/** Returns the typed API key. If nothing was typed, waits for ever, because the connector may still answer. */
async function ifGiven(key: string | null): Promise<string> {
  return key ?? new Promise<never>(() => undefined);
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
