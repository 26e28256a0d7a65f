import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../core/files.js';
import { findPlace, processExists } from '../core/lock.js';

/** State of a data folder's Temporal dev server. `up` and `demo` write it for the other commands. */
const DevServerState = z.object({
  pid: z.int(),
  /** Boot and process namespace in which `pid` is valid. */
  place: z.string(),
  address: z.string(),
  ui: z.string(),
});
export type DevServerState = z.infer<typeof DevServerState>;

/** Folder of the dev server's database and state. */
export function temporalDir(dataDir: string): string {
  return path.join(dataDir, 'temporal');
}

/**
 * Path of the lock whose holder runs the dev server and will stop it. If the lock is free, the next process may take
 * over the running server, or start one.
 */
export function devServerLock(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'owner.lock');
}

/** Reads the recorded dev server; null unless its process is alive on this machine and is a dev server. */
export function readDevServer(dataDir: string): DevServerState | null {
  let text: string;
  try {
    text = readFileSync(stateFile(dataDir), 'utf8');
  } catch {
    return null;
  }
  try {
    const state = DevServerState.parse(JSON.parse(text));
    const isHere = state.place === findPlace() && processExists(state.pid);
    return isHere && isDevServer(state.pid) ? state : null;
  } catch {
    // Ignore a partial or foreign file; the next server writes its own.
    return null;
  }
}

/** Records the dev server of a data folder in `data/temporal/server.json`. */
export async function writeDevServer(dataDir: string, state: DevServerState): Promise<void> {
  await writeFileAtomic(stateFile(dataDir), `${JSON.stringify(state)}\n`);
}

/** Deletes the record of a server, unless another server has been recorded meanwhile. */
export function forgetDevServer(dataDir: string, pid: number): void {
  const current = readDevServer(dataDir);
  if (current === null || current.pid === pid) rmSync(stateFile(dataDir), { force: true });
}

// After a reboot another process may have the recorded id.
function isDevServer(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes('start-dev');
  } catch {
    return true; // without `ps`, assume yes: the caller tests whether the server answers
  }
}

function stateFile(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'server.json');
}
