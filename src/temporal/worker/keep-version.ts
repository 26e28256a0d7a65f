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
 * Makes the version of this worker Temporal's current version if it should be (`shouldPromote`). Does this once before
 * the promise resolves, then every 10 s until `stop`. Open runs stay on their version.
 * Call it after the worker began to poll, and let no run start before the promise resolves: otherwise, the server may
 * start the first task of the run 1 to 4 s late.
 */
export async function keepVersionCurrent(
  client: Client,
  { build, log, stop }: { build: Build; log: Logger; stop: AbortSignal },
): Promise<void> {
  let told = '';
  const look = async (patienceMs: number): Promise<void> => {
    try {
      const [state, live] = await Promise.all([readDeployment(client), liveBuilds(client)]);
      if (state !== null && shouldPromote(build, state, live)) {
        await promoteKnown(client, build, patienceMs, stop);
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
  await look(KNOWN_WITHIN_MS);
  void (async () => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
      await look(0);
    }
  })().catch(() => undefined);
}

/** Promotes a build. The server refuses until it has seen the first poll; tries again for `patienceMs`. */
async function promoteKnown(client: Client, build: Build, patienceMs: number, stop: AbortSignal): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await promote(client, build);
    } catch (error) {
      if (performance.now() > until || stop.aborted) throw error;
    }
    await delay(TRY_EVERY_MS);
  }
}
