import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  adoptSpools,
  finishListing,
  ListingWriter,
  manifestFile,
  PartWriter,
  pullManifests,
  pullRows,
  readManifests,
  readRunRows,
  type LandedPart,
  type NewRow,
  type PartTarget,
} from '../../../src/landing/index.js';
import type { SharedData } from '../../../src/store/data.js';
import { keysBelow, makeMachines } from '../store/machines.js';

const CHUNK = {
  stream: 'companies',
  run: 'run-1',
  date: '2026-11-20',
  market: 'demo',
  chunk: 'companies-00000',
} as const;
const on = (data: SharedData, place: Partial<PartTarget> = {}): PartTarget => ({ ...CHUNK, ...place, data });
const row = (entity: number, from = ''): NewRow => ({
  request_key: `GET /v2/companies/${entity}`,
  entity_id: String(entity),
  row_kind: 'record',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.123Z',
  body: JSON.stringify({ id: entity, from }),
});
const entities = (rows: readonly { entity_id: string | null }[]): number[] =>
  rows.map(({ entity_id }) => Number(entity_id)).toSorted((a, b) => a - b);
const upTo = (count: number): number[] => [...Array(count).keys()];
const add = (writer: PartWriter, from: number, to: number): void => {
  for (let n = from; n < to; n++) writer.add(row(n), 8);
};
const landed = async (copy: SharedData, place: Partial<PartTarget> = {}) => {
  const target = on(copy, place);
  await pullRows(copy, { streams: [target.stream], run: target });
  return readRunRows(target);
};

it('has the answers that cost money after a machine was lost with its disk', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const lost = await PartWriter.open(on(a));
  add(lost, 0, 10);
  await Promise.all([10, 11].map((n) => lost.keep(row(n))));
  add(lost, 12, 100);
  rmSync(a.dataDir, { recursive: true });
  const writer = await PartWriter.open(on(b));
  expect(entities(writer.rows)).toEqual(upTo(12));
  add(writer, 12, 100);
  await writer.commit();
  expect(entities(await landed(b))).toEqual(upTo(100));
  expect(await keysBelow(b, 'landing/companies/date=2026-11-20/run=run-1/_spool/')).toEqual([]);
});

it('ends an attempt, and the end of its run, if a piece is there but cannot be read', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const writer = await PartWriter.open(on(a));
  await writer.keep(row(1));
  await writer.keep(row(2));
  await writer.close();
  const read = b.storage.read.bind(b.storage);
  const [unread] = await keysBelow(b, 'landing/companies/date=2026-11-20/run=run-1/_spool/');
  b.storage.read = async (key) => (key === unread ? undefined : read(key));
  const refused = { message: expect.stringContaining('cannot be read') as string, retryable: true };
  await expect(PartWriter.open(on(b))).rejects.toMatchObject(refused);
  await expect(adoptSpools(on(b))).rejects.toMatchObject(refused);
  b.storage.read = read;
  expect(await adoptSpools(on(b))).toBe(2);
  expect(entities(await landed(b))).toEqual([1, 2]);
});

it('gives every answer to other machines when an attempt ends', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const writer = await PartWriter.open(on(a));
  add(writer, 0, 5);
  await writer.close();
  expect(entities((await PartWriter.open(on(b))).rows)).toEqual(upTo(5));
});

it('keeps one part of a chunk that two machines commit', async () => {
  const machines = await makeMachines(2);
  const writers = await Promise.all(machines.map((copy) => PartWriter.open(on(copy))));
  for (const [machine, writer] of writers.entries())
    for (const entity of upTo(3)) await writer.append(row(entity, `machine ${machine}`));
  const manifests = await Promise.all(writers.map((writer) => writer.commit()));
  expect(manifests[0]).toEqual(manifests[1]);
  const bodies = await Promise.all(machines.map(async (copy) => (await landed(copy)).map(({ body }) => body)));
  expect(bodies[0]).toEqual(bodies[1]);
  expect(new Set(bodies[0]?.map((body) => (JSON.parse(body) as { from: string }).from)).size).toBe(1);
  const parts = await keysBelow(machines[0] as SharedData, 'landing/');
  expect(parts.filter((key) => key.endsWith('.parquet'))).toHaveLength(1);
});

it('sees the parts of all machines', async () => {
  const machines = await makeMachines(3);
  for (const [n, copy] of machines.entries()) {
    const writer = await PartWriter.open(on(copy, { chunk: `companies-0000${n}` }));
    await writer.append(row(n));
    await writer.commit();
  }
  for (const copy of machines) {
    await pullManifests(copy);
    expect(readManifests(copy.dataDir).map(({ chunk }) => chunk)).toEqual([
      'companies-00000',
      'companies-00001',
      'companies-00002',
    ]);
    expect(entities(await landed(copy))).toEqual([0, 1, 2]);
  }
});

it('lands the answers of lost machines once when the run ends', async () => {
  const [a, b, c] = (await makeMachines(3)) as [SharedData, SharedData, SharedData];
  const lost = await PartWriter.open(on(a));
  add(lost, 0, 60);
  await lost.close();
  const own = await PartWriter.open(on(b, { chunk: 'companies-00001' }));
  for (const n of upTo(4)) await own.append(row(1_000 + n));
  await own.close();
  rmSync(a.dataDir, { recursive: true });
  const run = { run: CHUNK.run, date: CHUNK.date, market: CHUNK.market };
  // Two machines close the run, as after a lost answer.
  await Promise.all([b, c].map((data) => adoptSpools({ ...run, data })));
  await adoptSpools({ ...run, data: c });
  expect(entities(await landed(c))).toEqual([...upTo(60), 1_000, 1_001, 1_002, 1_003]);
  expect(await keysBelow(c, 'landing/companies/date=2026-11-20/run=run-1/_spool/')).toEqual([]);
});

it('lands each answer once, whatever the machines hold when they end the run together', async () => {
  const answers = fc.array(fc.record({ given: fc.boolean(), by: fc.nat(2) }), { maxLength: 12 });
  const ends = fc.array(fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const run = { run: CHUNK.run, date: CHUNK.date, market: CHUNK.market };
  await fc.assert(
    fc.asyncProperty(answers, ends, async (fetched, rounds) => {
      const machines = await makeMachines(3);
      const writers = await Promise.all(machines.map((data) => PartWriter.open(on(data))));
      for (const [n, { given, by }] of fetched.entries())
        await (given ? writers[by]!.keep(row(n)) : writers[by]!.append(row(n)));
      // Processes of one machine may disturb each other. Then the next attempt goes on.
      for (const round of rounds)
        await Promise.allSettled(round.map((machine) => adoptSpools({ ...run, data: machines[machine]! })));
      for (const data of machines) await adoptSpools({ ...run, data });
      expect(entities(await landed(machines[0]!))).toEqual(upTo(fetched.length));
      expect(await keysBelow(machines[0]!, 'landing/companies/date=2026-11-20/run=run-1/_spool/')).toEqual([]);
    }),
    { numRuns: 4 },
  );
});

it('lands no answer twice when a machine returns with a spool that others have landed', async () => {
  const [away, other] = (await makeMachines(2)) as [SharedData, SharedData];
  const writer = await PartWriter.open(on(away));
  add(writer, 0, 50);
  await writer.keep(row(50));
  add(writer, 51, 60);
  await writer.sync();
  const run = { run: CHUNK.run, date: CHUNK.date, market: CHUNK.market };
  await adoptSpools({ ...run, data: other });
  await adoptSpools({ ...run, data: away });
  // The last frames were only on the machine that was away.
  expect(entities(await landed(other))).toEqual(upTo(60));
  expect(await keysBelow(other, 'landing/companies/date=2026-11-20/run=run-1/_spool/')).toEqual([]);
});

it('commits the listing that another machine has read to its end', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const place = { stream: 'tenders', chunk: 'tenders', market: null } as const;
  const listing = await ListingWriter.open(on(a, place));
  for (let page = 0; page < 150; page++) await listing.append({ ...row(page), entity_id: null });
  // The machine is lost after the listing was marked as complete.
  const stop = new Error('lost');
  const create = a.storage.create.bind(a.storage);
  a.storage.create = async (key, body) => {
    if (key.includes('_manifest')) throw stop;
    return create(key, body);
  };
  await expect(listing.commit()).rejects.toThrow(stop);
  rmSync(a.dataDir, { recursive: true });
  expect(await finishListing(on(b, place))).toBe(true);
  expect((await landed(b, place)).map(({ request_key }) => request_key)).toEqual(
    upTo(150).map((page) => `GET /v2/companies/${page}`),
  );
  expect(await keysBelow(b, 'landing/tenders/date=2026-11-20/run=run-1/_spool/')).toEqual([]);
  expect(await finishListing(on(b, place))).toBe(false);
});

it('takes a manifest and a part again that are here, but have another content', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const writer = await PartWriter.open(on(a));
  add(writer, 0, 5);
  await writer.commit();
  expect(entities(await landed(b))).toEqual(upTo(5));
  const [part] = readManifests(b.dataDir) as [LandedPart];
  const manifest = manifestFile(path.dirname(part.file), CHUNK.chunk);
  const right = readFileSync(manifest, 'utf8');
  for (const wrong of ['<html>Back soon</html>', '', '{}', 'null', ' '.repeat(right.length)]) {
    writeFileSync(manifest, wrong);
    expect(entities(await landed(b))).toEqual(upTo(5));
    writeFileSync(manifest, wrong);
    expect(await PartWriter.committed(on(b))).toMatchObject({ sha256: part.sha256 });
  }
  const bytes = readFileSync(part.file);
  for (const wrong of ['<html>Back soon</html>', '', Buffer.alloc(bytes.length)]) {
    writeFileSync(part.file, wrong);
    expect(entities(await landed(b))).toEqual(upTo(5));
    expect(readFileSync(part.file).equals(bytes)).toBe(true);
  }
});

it.each([
  ['companies', 5],
  ['executives', 8],
] as const)('asks the bucket for a chunk of %s at most %i times', async (stream, most) => {
  const [a] = (await makeMachines(1)) as [SharedData];
  let calls = 0;
  const { storage } = a;
  for (const name of ['read', 'create', 'upload', 'remove', 'list'] as const) {
    const call = storage[name].bind(storage) as (...args: unknown[]) => never;
    Object.assign(storage, { [name]: (...args: unknown[]) => (calls++, call(...args)) });
  }
  expect(await PartWriter.committed(on(a, { stream }))).toBeUndefined();
  const writer = await PartWriter.open(on(a, { stream }));
  add(writer, 0, 500);
  await writer.commit();
  expect(calls).toBeLessThanOrEqual(most);
});
