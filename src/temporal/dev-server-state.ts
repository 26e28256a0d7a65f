import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../core/files.js';
import { findPlace, processExists } from '../core/lock.js';

/** The Temporal dev server that belongs to a data folder, as `up` and `demo` leave it behind for other commands. */
const DevServerState = z.object({
  pid: z.int(),
  /** Boot and process namespace in which `pid` means that process. */
  place: z.string(),
  address: z.string(),
  ui: z.string(),
});
export type DevServerState = z.infer<typeof DevServerState>;

/** The folder of the dev server's database and state. */
export function temporalDir(dataDir: string): string {
  return path.join(dataDir, 'temporal');
}

/**
 * Whoever holds this lock runs the dev server and will stop it. With it free, nobody does: the next process may take the
 * server over, or start one.
 */
export function devServerLock(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'owner.lock');
}

/** The recorded dev server if its process is alive here and is one; null otherwise. */
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
    // A half-written or foreign file says nothing; the next server writes its own.
    return null;
  }
}

export async function writeDevServer(dataDir: string, state: DevServerState): Promise<void> {
  await writeFileAtomic(stateFile(dataDir), `${JSON.stringify(state)}\n`);
}

/** Forgets the server, unless another one has been recorded since. */
export function forgetDevServer(dataDir: string, pid: number): void {
  const current = readDevServer(dataDir);
  if (current === null || current.pid === pid) rmSync(stateFile(dataDir), { force: true });
}

// After a restart of the machine the recorded id may be anyone's.
function isDevServer(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes('start-dev');
  } catch {
    return true; // no `ps` here: whether it answers will tell
  }
}

function stateFile(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'server.json');
}
