import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { errorMessage } from '../../base/errors.js';
import { liveBuilds } from '../crawl-workers.js';
import { nameOf, promote, readDeployment, shouldPromote, type Build } from '../versions.js';

const LOOK_EVERY_MS = 10_000;
// A new version is known to the server about a second after its first poll.
const KNOWN_WITHIN_MS = 30_000;
const TRY_EVERY_MS = 200;

/**
 * Makes the version of this worker Temporal's current version if it should be (`shouldPromote`), now and every 10 s until
 * `stop`. Open runs stay on their version. Call it before the worker polls: the server needs 1 to 3 s for a new version.
 * @returns when no worker of another version gets new runs any more: at once if none is live
 */
export async function keepVersionCurrent(
  client: Client,
  { build, log, stop }: { build: Build; log: Logger; stop: AbortSignal },
): Promise<void> {
  let told = '';
  const look = async (patienceMs: number, onAlone = (): void => undefined): Promise<void> => {
    try {
      const [state, live] = await Promise.all([readDeployment(client), liveBuilds(client)]);
      if (state !== null && shouldPromote(build, state, live)) {
        const isAlone = live.size === 0;
        if (isAlone) onAlone();
        await promoteKnown(client, build, isAlone, performance.now() + patienceMs, stop);
        log.info(`New runs now start on ${nameOf(build)}. Before, they started on ${nameOf(state.current)}.`);
      }
      told = '';
    } catch (error) {
      const message = errorMessage(error);
      if (message !== told && !stop.aborted)
        log.warn(`Cannot update the worker versions: ${message}. The worker tries again every 10 s.`);
      told = message;
    }
  };
  const keep = async (): Promise<void> => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
      await look(0);
    }
  };
  await new Promise<void>((resolve) => {
    void look(KNOWN_WITHIN_MS, resolve)
      .then(resolve)
      .then(keep)
      .catch(() => undefined);
  });
}

/**
 * Promotes a build. If another worker is live, the server refuses until it has seen the first poll of this one; then
 * tries again until `until`.
 */
async function promoteKnown(
  client: Client,
  build: Build,
  isAlone: boolean,
  until: number,
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await promote(client, build, isAlone);
    } catch (error) {
      if (performance.now() > until || stop.aborted) throw error;
    }
    await delay(TRY_EVERY_MS);
  }
}
