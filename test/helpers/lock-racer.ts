// Takes a lock or a lease again and again until a time, and raises a counter under it: `lock-racer.ts <folder or bucket>
// <options as JSON> <until> <journal>`. Options with `key` mean a lease. Writes `<count> <token> <process>` to the journal
// after each raise. A process without a token counts as its own one.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLostRace } from '../../src/store/errors.js';
import { LeaseLostError, type Lease } from '../../src/store/lease.js';
import { withLease } from './with-lease.js';
import { LockLostError, withLock, type Lock } from '../../src/store/lock/lock.js';
import { openStorage } from '../../src/store/open.js';

const [place = '', json = '{}', until = '0', journal = ''] = process.argv.slice(2);
const { key, ...times } = JSON.parse(json) as { key?: string };
const options = { what: 'a race', pollMs: 15, ...times };
const say = (count: number, token: number): void =>
  appendFileSync(journal, `${count} ${token} ${process.pid}\n`, { flush: true });

async function raiseFile(lock: Lock): Promise<void> {
  const file = path.join(place, 'counter');
  const count = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1;
  await sleep(Math.random() * 8);
  lock.put(file, (temporary) => writeFileSync(temporary, String(count)));
  say(count, 0);
}

async function raiseStored(lease: Lease): Promise<void> {
  const before = await storage.read('counter');
  const known = JSON.parse(before?.body.toString() ?? '{"count":0,"token":0}') as { count: number; token: number };
  if (known.token > lease.token) throw new LeaseLostError(storage, 'counter');
  await lease.assertHeld();
  const body = Buffer.from(JSON.stringify({ count: known.count + 1, token: lease.token }));
  if (before === undefined) await storage.create('counter', body);
  else await storage.replace('counter', body, before.version);
  say(known.count + 1, lease.token);
}

const storage = openStorage(place);
while (Date.now() < Number(until)) {
  const raises = Array.from({ length: 5 });
  const work =
    key === undefined
      ? withLock(path.join(place, 'race.lock'), options, async (lock) => {
          for (const _ of raises) await raiseFile(lock);
        })
      : withLease(storage, key, options, async (lease) => {
          for (const _ of raises) await raiseStored(lease);
        });
  await work.catch((error: unknown) => {
    const isLost = error instanceof LockLostError || error instanceof LeaseLostError || isLostRace(error);
    if (!isLost) throw error;
  });
}
