import { rmSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { runningSandboxFile } from '../store/data-folder.js';
import { TidemarkError } from '../base/errors.js';
import { tryReadJson } from '../store/files.js';
import { findPlace, processExists } from '../store/lock/holder.mjs';
import { writeSecretFile } from '../config/secret-file.js';
import { isInEnvironment } from '../config/stored-key.js';

/** Address at which `tidemark up --sandbox` starts the sandbox, if its port is free. `tidemark init --sandbox` writes it. */
export const SANDBOX_URL = 'http://127.0.0.1:4010';
/** Time after which the days of the running sandbox are read again. */
const REREAD_MS = 100;

/** The sandbox that `demo` or `up --sandbox` runs. Both write this file, so that commands in other terminals find it. */
const RunningSandbox = z.object({
  /** Id of the process that started the sandbox. */
  pid: z.int(),
  /** Where `pid` is valid: this start of the machine and this process namespace (`findPlace`). */
  place: z.string(),
  url: z.string(),
  key: z.string(),
  /**
   * Number of days by which the sandbox's market is ahead of the calendar. The clocks of the folder's commands and
   * workers are as far ahead, so that a later day of the market is a later night.
   */
  days: z.int().default(0),
});
export type RunningSandbox = z.infer<typeof RunningSandbox>;
type Started = Pick<RunningSandbox, 'url' | 'key'> & { days?: number };

/**
 * Returns the running sandbox that a command should ask. Returns null in each of these cases:
 * - No sandbox runs for this data folder.
 * - The configuration names an API on another host.
 * - The environment names an API or an API key.
 */
export function sandboxToAsk({ api, dataDir }: Config, env: NodeJS.ProcessEnv = process.env): RunningSandbox | null {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(api.baseUrl).hostname);
  return isLocal && !env['TIDEMARK_API_URL'] && !isInEnvironment(env) ? readRunning(dataDir) : null;
}

/**
 * Refuses to ask the address that `init --sandbox` writes while no sandbox runs for this data folder: the sandbox of
 * another folder may listen there. An address or key from the environment says that this is meant.
 * @throws TidemarkError `ApiUnavailable`
 */
export function refuseOtherSandbox(config: Config, env: NodeJS.ProcessEnv = process.env): void {
  if (config.api.baseUrl !== SANDBOX_URL || env['TIDEMARK_API_URL'] || isInEnvironment(env)) return;
  if (readRunning(config.dataDir) !== null) return;
  throw new TidemarkError('ApiUnavailable', `No sandbox runs for the data folder ${config.dataDir}.`, {
    todo: `Start it with \`tidemark up --sandbox\`. To ask another sandbox at ${SANDBOX_URL}, set TIDEMARK_API_KEY to its key.`,
  });
}

/**
 * Records the sandbox that this process started.
 * @returns A function that deletes the record. If another demo of this folder still runs, it records the sandbox of that
 * demo again
 */
export async function recordSandbox(dataDir: string, { url, key, days = 0 }: Started): Promise<() => Promise<void>> {
  const before = readRunning(dataDir);
  const running: RunningSandbox = { pid: process.pid, place: findPlace(), url, key, days };
  await writeSecretFile(runningSandboxFile(dataDir), JSON.stringify(running));
  return async () => {
    // Another process may have started a sandbox for this folder since then.
    if (readRunning(dataDir)?.pid !== process.pid) return;
    if (before !== null && before.pid !== process.pid && processExists(before.pid))
      await writeSecretFile(runningSandboxFile(dataDir), JSON.stringify(before));
    else rmSync(runningSandboxFile(dataDir), { force: true });
  };
}

/** Records by how many days the running sandbox is ahead of the calendar. */
export async function recordDays(dataDir: string, running: RunningSandbox, days: number): Promise<void> {
  await writeSecretFile(runningSandboxFile(dataDir), JSON.stringify({ ...running, days }));
}

/**
 * Returns a function that says by how many days the sandbox of a data folder is ahead of the calendar; 0 without a
 * running sandbox. `tidemark sandbox day` may change the number at any time, and the function knows it 100 ms later: a
 * crawl asks for the time with each response.
 */
export function sandboxDays(dataDir: string): () => number {
  let [readAt, days] = [-Infinity, 0];
  return () => {
    const now = performance.now();
    if (now - readAt >= REREAD_MS) [readAt, days] = [now, readRunning(dataDir)?.days ?? 0];
    return days;
  };
}

/** Reads the sandbox that runs for a data folder; null if there is none. */
export function readRunning(dataDir: string): RunningSandbox | null {
  const running = tryReadJson(runningSandboxFile(dataDir), RunningSandbox);
  return running?.place === findPlace() && processExists(running.pid) ? running : null;
}
