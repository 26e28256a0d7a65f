import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_RUN } from '../../../../schemas/pipeline/landing.js';
import { pullRows, readManifests, readPartRows } from '../../../../src/landing/index.js';
import { DeliveryLog, type DeliveryLogOptions } from '../../../../src/serve/webhooks/delivery-log.js';
import type { SharedData } from '../../../../src/store/data.js';
import { waitUntil } from '../../../helpers/sandbox.js';
import { keysBelow, makeMachines } from '../../store/machines.js';

const CLOCK = { now: () => new Date() };
const OPTIONS = { abandonedMs: 500 };
const body = (n: number): string => JSON.stringify({ event: n, company_data: { id: n } });

/** Opens the log of a machine. Its spools are landed only when the log is closed. */
function openLog(data: SharedData, options: DeliveryLogOptions = OPTIONS): DeliveryLog {
  const log = DeliveryLog.open(data, CLOCK, { ...options, commitEveryMs: 3_600_000 });
  onTestFinished(() => log.close().catch(() => undefined));
  return log;
}

const pieces = async (copy: SharedData): Promise<string[]> =>
  (await keysBelow(copy, 'landing/watch_events/')).filter((key) => key.includes('/_spool/'));

async function landedBodies(copy: SharedData): Promise<string[]> {
  await pullRows(copy, { streams: ['watch_events'] });
  return readManifests(copy.dataDir, { stream: 'watch_events', run: WEBHOOK_RUN })
    .flatMap(readPartRows)
    .map((row) => row.body)
    .toSorted();
}

it('has each delivery in the bucket before it is answered', async () => {
  const [a] = (await makeMachines(1)) as [SharedData];
  const log = openLog(a);
  for (let n = 0; n < 3; n++) {
    await log.keep(body(n), String(n));
    const found = await Promise.all((await pieces(a)).map((key) => a.storage.read(key)));
    expect(found.map((piece) => piece?.body.toString('utf8')).join('')).toContain(body(n));
  }
  await log.close();
  expect(await pieces(a)).toEqual([]);
  expect(await landedBodies(a)).toEqual([body(0), body(1), body(2)]);
});

it('refuses a delivery that the bucket did not get, and keeps later ones', async () => {
  const [a] = (await makeMachines(1)) as [SharedData];
  const log = openLog(a);
  await log.keep(body(1), '1');
  const create = a.storage.create.bind(a.storage);
  a.storage.create = () => Promise.reject(new Error('the bucket is down'));
  await expect(log.keep(body(2), '2')).rejects.toThrow('the bucket is down');
  a.storage.create = create;
  await log.keep(body(3), '3');
  await log.close();
  // The refused delivery may be kept, too: the API sends it again, and it counts once.
  const found = await landedBodies(a);
  expect(found).toEqual(expect.arrayContaining([body(1), body(3)]));
  expect(new Set(found).size).toBe(found.length);
});

it('keeps a piece that it cannot read, and lands it later', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const log = openLog(a);
  for (const n of [1, 2, 3]) await log.keep(body(n), String(n));
  const [unread] = await pieces(b);
  const read = b.storage.read.bind(b.storage);
  b.storage.read = async (key) => (key === unread ? undefined : read(key));
  const other = openLog(b, { ...OPTIONS, abandonedMs: 50 });
  await waitUntil('two deliveries land', async () => (await landedBodies(b)).length === 2);
  expect(await pieces(b)).toEqual([unread]);
  b.storage.read = read;
  await waitUntil('the third delivery lands', async () => (await landedBodies(b)).length === 3);
  expect(await landedBodies(b)).toEqual([body(1), body(2), body(3)]);
  await other.close();
});

it('lands the deliveries of a machine that was lost with its disk, once', async () => {
  const machines = (await makeMachines(3)) as [SharedData, SharedData, SharedData];
  const [a, b, c] = machines;
  const lost = openLog(a);
  for (let n = 0; n < 30; n++) await lost.keep(body(n), String(n));
  rmSync(a.dataDir, { recursive: true });
  for (const copy of [b, c]) openLog(copy);
  await waitUntil('no piece is left', async () => (await pieces(b)).length === 0);
  expect(await landedBodies(b)).toEqual(Array.from({ length: 30 }, (_, n) => body(n)).toSorted());
});

it('lands each delivery once although another machine took a living receiver for lost', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const slow = openLog(a);
  for (let n = 0; n < 5; n++) await slow.keep(body(n), String(n));
  openLog(b);
  await waitUntil('no piece is left', async () => (await pieces(b)).length === 0);
  for (let n = 5; n < 9; n++) await slow.keep(body(n), String(n));
  await slow.close();
  expect(await landedBodies(b)).toEqual(Array.from({ length: 9 }, (_, n) => body(n)));
});

it('lands the deliveries that a machine gave while another one landed its earlier ones, before it was lost', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const lost = openLog(a, {});
  await lost.keep(body(0), '0');
  const create = b.storage.create.bind(b.storage);
  let given = false;
  b.storage.create = async (key, content) => {
    // The other machine has read the pieces, and commits its part now.
    if (!given && key.includes('_manifest')) {
      given = true;
      await lost.keep(body(1), '1');
      rmSync(a.dataDir, { recursive: true });
    }
    return create(key, content);
  };
  openLog(b);
  await waitUntil('both deliveries have landed', async () => (await landedBodies(b)).length === 2);
  expect(await landedBodies(b)).toEqual([body(0), body(1)]);
});
