// Takes a lease and holds it until the process ends: `lease-holder.ts <storage> <key> <options as JSON>`.
// Prints `holding <token>`, and `lost` when it lost the lease. On SIGUSR2 it changes the file `protected` as a holder
// does, and prints the result. On SIGTERM it releases the lease.
import { setInterval } from 'node:timers';
import { takeLease, type WaitOptions } from '../../src/store/lease.js';
import { openStorage } from '../../src/store/open.js';

const [place = '', key = '', options = '{}'] = process.argv.slice(2);
const storage = openStorage(place);
const lease = await takeLease(storage, key, { what: 'a test', ...(JSON.parse(options) as Partial<WaitOptions>) });
lease.lost.addEventListener('abort', () => console.log('lost'));
const change = async (): Promise<void> => {
  const before = await storage.read('protected');
  await lease.assertHeld();
  if (before !== undefined) await storage.replace('protected', Buffer.from(String(lease.token)), before.version);
};
process.on('SIGUSR2', () => {
  void change().then(
    () => console.log('changed'),
    (error: unknown) => console.log(`refused: ${(error as Error).message}`),
  );
});
process.on('SIGTERM', () => {
  void lease.release().then(() => process.exit(0));
});
setInterval(() => undefined, 1_000);
console.log(`holding ${lease.token}`);
