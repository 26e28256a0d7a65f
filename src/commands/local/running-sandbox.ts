import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../core/config.js';
import { runningSandboxFile } from '../../core/data-folder.js';
import { findPlace, processExists } from '../../core/lock.js';
import { writeSecretFile } from '../../core/secret-file.js';
import { isInEnvironment } from '../../core/stored-key.js';

/** The sandbox that `demo` or `up --sandbox` runs. Both write this file, so that commands in other terminals find it. */
const RunningSandbox = z.object({
  /** Id of the process that started the sandbox. */
  pid: z.int(),
  /** Where `pid` is valid: this start of the machine and this process namespace (`findPlace`). */
  place: z.string(),
  url: z.string(),
  key: z.string(),
});
export type RunningSandbox = z.infer<typeof RunningSandbox>;

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
 * Records the sandbox that this process started.
 * @returns A function that deletes the record. If another demo of this folder still runs, it records the sandbox of that
 * demo again
 */
export async function recordSandbox(
  dataDir: string,
  { url, key }: { url: string; key: string },
): Promise<() => Promise<void>> {
  const before = readRunning(dataDir);
  const running: RunningSandbox = { pid: process.pid, place: findPlace(), url, key };
  await writeSecretFile(runningSandboxFile(dataDir), JSON.stringify(running));
  return async () => {
    // Another process may have started a sandbox for this folder since then.
    if (readRunning(dataDir)?.pid !== process.pid) return;
    if (before !== null && before.pid !== process.pid && processExists(before.pid))
      await writeSecretFile(runningSandboxFile(dataDir), JSON.stringify(before));
    else rmSync(runningSandboxFile(dataDir), { force: true });
  };
}

function readRunning(dataDir: string): RunningSandbox | null {
  try {
    const running = RunningSandbox.parse(JSON.parse(readFileSync(runningSandboxFile(dataDir), 'utf8')));
    return running.place === findPlace() && processExists(running.pid) ? running : null;
  } catch {
    // The file is missing or incomplete.
    return null;
  }
}
