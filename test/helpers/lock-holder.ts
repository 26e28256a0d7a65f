// A process that takes a lock and keeps it until it ends: `lock-holder.ts <dir> <options as JSON> [<from> <to>]`. It says
// `holding`, and `lost` when it finds that it lost the lock. On SIGUSR2 it renames `from` to `to` under the lock and says how
// that went.
import { takeLock, type WaitOptions } from '../../src/core/lock.js';

const [dir = '', options = '{}', from = '', to = ''] = process.argv.slice(2);
const lock = await takeLock(dir, { what: 'a test', ...(JSON.parse(options) as Partial<WaitOptions>) });
lock.lost.addEventListener('abort', () => console.log('lost'));
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
