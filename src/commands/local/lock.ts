import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.js';
import { isAlive } from '../../temporal/dev-server-state.js';

const WAIT_MS = 90_000;

/** Does `work` while no other process does the same under this file's lock; a dead holder's lock is taken over. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true });
  const deadline = Date.now() + WAIT_MS;
  while (!take(file)) {
    if (Date.now() > deadline) {
      throw new TidemarkError(
        'Internal',
        `Another process has been starting the same for ${WAIT_MS / 1000} s (lock ${file}).`,
        {
          todo: `End process ${holder(file) ?? 'that holds it'}, or remove the lock file.`,
        },
      );
    }
    await delay(100);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  const pid = holder(file);
  if (pid !== null && !isAlive(pid)) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function holder(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
