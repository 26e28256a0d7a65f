import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { z } from 'zod';
import { devServerFile, temporalDir } from '../store/data-folder.js';
import { makeFolder, tryReadJson, writeFileAtomic } from '../store/files.js';
import { findPlace, processExists } from '../store/lock/holder.mjs';

/** State of the Temporal dev server of a data folder. `up` and `demo` write it for the other commands. */
const DevServerState = z.object({
  pid: z.int(),
  /** Identifies the boot and the process namespace in which `pid` is valid. */
  place: z.string(),
  address: z.string(),
  ui: z.string(),
  /** Inode of the folder `temporal`. It stays the same if the data folder moves, and differs in a copy of it. */
  inode: z.number(),
});
export type DevServerState = z.infer<typeof DevServerState>;

/**
 * Reads the recorded dev server. Returns null unless its process runs on this machine and is a dev server. Returns null
 * also in a copy of the data folder, because the server belongs to the original.
 */
export function readDevServer(dataDir: string): DevServerState | null {
  const state = tryReadJson(devServerFile(dataDir), DevServerState);
  const isHere = state?.place === findPlace() && processExists(state.pid);
  return isHere && state.inode === inodeOf(dataDir) && isDevServer(state.pid) ? state : null;
}

/** Records the dev server of a data folder in `data/temporal/server.json`. */
export async function writeDevServer(dataDir: string, state: Omit<DevServerState, 'inode'>): Promise<void> {
  await makeFolder(temporalDir(dataDir));
  await writeFileAtomic(devServerFile(dataDir), `${JSON.stringify({ ...state, inode: inodeOf(dataDir) })}\n`);
}

function inodeOf(dataDir: string): number {
  return statSync(temporalDir(dataDir)).ino;
}

/** Deletes the record of a dev server, unless another server was recorded meanwhile. */
export function forgetDevServer(dataDir: string, pid: number): void {
  const current = readDevServer(dataDir);
  if (current === null || current.pid === pid) rmSync(devServerFile(dataDir), { force: true });
}

// Checks the command of the process, because after a reboot another process may have the recorded id.
function isDevServer(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes('start-dev');
  } catch {
    return true; // without `ps`, assume yes: the caller also tests whether the server answers
  }
}
