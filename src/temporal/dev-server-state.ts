import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../core/files.js';

/** The Temporal dev server that belongs to a data folder, as `up` and `demo` leave it behind for other commands. */
const DevServerState = z.object({
  pid: z.int(),
  /** Process that started it and will stop it; when that is gone, the next one may. */
  owner: z.int(),
  address: z.string(),
  ui: z.string(),
});
export type DevServerState = z.infer<typeof DevServerState>;

/** The folder of the dev server's database and state. */
export function temporalDir(dataDir: string): string {
  return path.join(dataDir, 'temporal');
}

/** The recorded dev server if its process is alive and is one; null otherwise. */
export function readDevServer(dataDir: string): DevServerState | null {
  let text: string;
  try {
    text = readFileSync(stateFile(dataDir), 'utf8');
  } catch {
    return null;
  }
  try {
    const state = DevServerState.parse(JSON.parse(text));
    return isAlive(state.pid) && isDevServer(state.pid) ? state : null;
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

/** True while a process of this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
