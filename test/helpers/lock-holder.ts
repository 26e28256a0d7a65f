// Takes a lock and holds it until the process ends: `lock-holder.ts <dir> <options as JSON> [<from> <to>]`.
// Prints `holding`. On SIGUSR2 it renames `from` to `to` under the lock and prints the result.
import type { LockOptions } from '../../src/store/lock/folder-lock.mjs';
import { takeLock } from '../../src/store/lock/lock.js';

const [dir = '', options = '{}', from = '', to = ''] = process.argv.slice(2);
const lock = await takeLock(dir, { what: 'a test', ...(JSON.parse(options) as Partial<LockOptions>) });
process.on('SIGUSR2', () => {
  try {
    lock.rename(from, to);
    console.log('renamed');
  } catch (error) {
    console.log(`refused: ${(error as Error).name} ${(error as Error).message}`);
  }
});
process.on('SIGTERM', () => {
  lock.release();
  process.exit(0);
});
setInterval(() => undefined, 1_000);
console.log('holding');
