import * as fc from 'fast-check';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { landRows, manifestName, readManifests } from '../../../../src/landing/index.js';
import { LandingCorruptError } from '../../../../src/warehouse/duckdb/errors.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { RECORD_STREAMS } from '../../../../schemas/streams/landing-streams.js';
import { splitIntoBatches } from '../../../../src/warehouse/load/load.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const company = (id: number): Answer => ({ stream: 'companies', entity: String(id), body: { id, name: `C${id}` } });

describe('loadLanding', () => {
  test('loads each part once', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1), company(2)]);
    const warehouse = await openTestWarehouse(dataDir);
    expect(await loadLanding(warehouse, new Data(dataDir))).toEqual({ parts: 1, rows: 2, rejects: 0 });
    expect(await loadLanding(warehouse, new Data(dataDir))).toEqual({ parts: 0, rows: 0, rejects: 0 });
    await land(dataDir, [company(3), { stream: 'quota', entity: 'q', body: 'x' }]);
    expect(await loadLanding(warehouse, new Data(dataDir))).toEqual({ parts: 2, rows: 2, rejects: 1 });
    expect(await warehouse.db.count('SELECT count(*) FROM ledger.observations')).toBe(4);
  });

  test('loads nothing from an empty landing zone', async () => {
    const dataDir = temporaryDataDir();
    expect(await loadLanding(await openTestWarehouse(dataDir), new Data(dataDir))).toEqual({
      parts: 0,
      rows: 0,
      rejects: 0,
    });
  });

  test.each([
    ['a byte flipped', (file: string) => flipByte(file), /another SHA-256/],
    ['a longer file', (file: string) => appendFileSync(file, 'x'), /has [\d,]+ bytes, but its manifest says [\d,]+/],
    ['no file', (file: string) => rmSync(file), /is missing/],
  ])('names the faulty part and loads all others: %s', async (_, damage, message) => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1)]);
    const [bad] = readManifests(dataDir);
    await land(dataDir, [company(2)]);
    await land(dataDir, [
      { stream: 'quota', entity: 'q', body: { metric: 'm', used: 1, total: 2, read_at: '2026-11-20T00:00:00Z' } },
    ]);
    if (bad === undefined) throw new Error('nothing landed');
    damage(bad.file);
    const warehouse = await openTestWarehouse(dataDir);
    const error = await loadLanding(warehouse, new Data(dataDir)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LandingCorruptError);
    expect(error).toMatchObject({
      type: 'LandingCorrupt',
      loaded: { parts: 2, rows: 2, rejects: 0 },
      faults: [expect.stringMatching(message)],
    });
    expect((error as Error).message).toContain(bad.file);
    expect(await warehouse.db.rows('SELECT DISTINCT entity_id FROM ledger.observations ORDER BY ALL')).toEqual([
      { entity_id: '2' },
      { entity_id: 'q' },
    ]);
    // The next load fails for the same reason.
    await expect(loadLanding(warehouse, new Data(dataDir))).rejects.toThrow(message);
  });

  test('names loaded parts that are missing from the landing zone', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1)]);
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    rmSync(path.join(dataDir, 'landing'), { recursive: true });
    await land(dataDir, [{ stream: 'quota', entity: 'q', body: 'x' }]);
    const { gone } = await loadLanding(warehouse, new Data(dataDir));
    expect(gone).toMatch(/rows of 1 landed parts that are missing .* the first is companies\/.*tidemark replay/);
  });

  test('names an unreadable manifest and loads other streams', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [
      company(1),
      { stream: 'quota', entity: 'q', body: { metric: 'm', used: 1, total: 2, read_at: '2026-11-20T00:00:00Z' } },
    ]);
    const [part] = readManifests(dataDir, { stream: 'companies' });
    if (part === undefined) throw new Error('nothing landed');
    writeFileSync(path.join(path.dirname(part.file), '_manifest', manifestName(part.part)), '{"stream":');
    const warehouse = await openTestWarehouse(dataDir);
    await expect(loadLanding(warehouse, new Data(dataDir))).rejects.toMatchObject({
      loaded: { parts: 1 },
      faults: [expect.stringMatching(/_manifest.* is no manifest/)],
    });
  });

  test('reports a replaced part instead of loading it again', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1)]);
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    const [part] = readManifests(dataDir);
    if (part === undefined) throw new Error('nothing landed');
    const manifest = path.join(path.dirname(part.file), '_manifest', manifestName(part.part));
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(part.sha256, 'f'.repeat(64)));
    await expect(loadLanding(warehouse, new Data(dataDir))).rejects.toThrow(
      'differs from the part that was loaded under this name',
    );
  });

  test('writes rejects to data/rejects with their full raw text', async () => {
    const dataDir = temporaryDataDir();
    const long = 'x'.repeat(20_000);
    await land(dataDir, [company(1), { stream: 'companies', entity: '2', body: long, status: 500 }]);
    const [part] = readManifests(dataDir);
    const warehouse = await openTestWarehouse(dataDir);
    expect(await loadLanding(warehouse, new Data(dataDir))).toMatchObject({ rejects: 1 });
    const file = path.join(
      dataDir,
      'rejects',
      'companies',
      'date=2026-11-20',
      'run=r1',
      `${part?.part.replace('.parquet', '')}.ndjson`,
    );
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { stream: 'companies', entity_id: '2', reason: 'http_error', path: '$', raw: long },
    ]);
    expect(await warehouse.db.count('SELECT max(length(raw)) FROM ledger.rejects')).toBe(10_000);
  });

  test('keeps the rejects of two streams apart if their chunks have the same name', async () => {
    const dataDir = temporaryDataDir();
    for (const stream of ['quota', 'requests'] as const) {
      const target = {
        data: new Data(dataDir),
        stream,
        run: 'r1',
        date: '2026-11-20',
        market: null,
        chunk: 'end',
      };
      const fetched_at = '2026-11-20T02:00:00.000Z';
      await landRows(target, [
        {
          request_key: stream,
          entity_id: stream,
          row_kind: 'end',
          status: 200,
          fetched_at,
          body: `no JSON: ${stream}`,
        },
      ]);
    }
    const warehouse = await openTestWarehouse(dataDir);
    expect(await loadLanding(warehouse, new Data(dataDir))).toEqual({ parts: 2, rows: 2, rejects: 2 });
    const loaded = await warehouse.db.rows('SELECT stream, rejects FROM ledger.loaded_parts ORDER BY stream');
    expect(loaded).toEqual([
      { stream: 'quota', rejects: '1' },
      { stream: 'requests', rejects: '1' },
    ]);
    for (const stream of ['quota', 'requests']) {
      const folder = path.join(dataDir, 'rejects', stream, 'date=2026-11-20', 'run=r1');
      const [name = ''] = readdirSync(folder);
      expect(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).toMatchObject({
        stream,
        raw: `no JSON: ${stream}`,
      });
    }
  });
});

test.each([
  ['one load', 1],
  ['two loads', 2],
])('prefers a record to a 404 of the same instant, in %s and any order', async (_, loads) => {
  const at = '2026-11-20T02:00:00.000Z';
  const record = { ...company(1), at };
  const gone: Answer = { stream: 'companies', entity: '1', status: 404, body: { detail: 'Not found.' }, at };
  for (const answers of [
    [record, gone],
    [gone, record],
  ]) {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    for (const some of loads === 1 ? [answers] : answers.map((answer) => [answer])) {
      await land(dataDir, some);
      await loadLanding(warehouse, new Data(dataDir));
    }
    expect(await warehouse.db.rows('SELECT gone, answered_at = read_at AS same FROM ledger.answers')).toEqual([
      { gone: false, same: true },
    ]);
  }
});

test('uses the latest valid answer of a record in any loading order', async () => {
  const answers: Answer[] = [
    { ...company(1), at: '2026-11-20T02:00:00.000Z' },
    { stream: 'companies', entity: '1', status: 404, body: { detail: 'Not found.' }, at: '2026-11-21T02:00:00.000Z' },
    { stream: 'companies', entity: '1', body: 'x', at: '2026-11-22T02:00:00.000Z' },
  ];
  for (const order of [answers, answers.toReversed()]) {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    for (const answer of order) {
      await land(dataDir, [answer]);
      await loadLanding(warehouse, new Data(dataDir));
    }
    const rows = await warehouse.db.rows(
      'SELECT gone, CAST(answered_at AS DATE) AS answered, CAST(read_at AS DATE) AS read FROM ledger.answers',
    );
    expect(rows).toEqual([{ gone: true, answered: '2026-11-21', read: '2026-11-20' }]);
  }
});

test('splitIntoBatches keeps all parts in order, one kind of stream per batch', () => {
  const part = fc.record({
    stream: fc.constantFrom('companies' as const, 'financials' as const, 'runs' as const, 'coverage' as const),
    rows: fc.nat(24_000),
    bytes: fc.nat(80 * 1024 * 1024),
  });
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const batches = splitIntoBatches(parts);
      expect(batches.flat()).toEqual(parts);
      for (const batch of batches) {
        const kinds = batch.map(({ stream }) => (RECORD_STREAMS.has(stream) ? 'records' : stream));
        expect(new Set(kinds).size).toBe(1);
        expect(batch.length === 1 || batch.reduce((sum, each) => sum + each.rows, 0) <= 20_000).toBe(true);
        expect(batch.length === 1 || batch.reduce((sum, each) => sum + each.bytes, 0) <= 64 * 2 ** 20).toBe(true);
      }
    }),
  );
});

test('splitIntoBatches fills a batch up to its limits', () => {
  const parts = (rows: number, bytes: number, stream = 'companies') =>
    Array.from({ length: 4 }, () => ({ stream: stream as 'companies', rows, bytes }));
  const sizes = (some: ReturnType<typeof parts>): number[] => splitIntoBatches(some).map((batch) => batch.length);
  expect(sizes(parts(10_000, 1))).toEqual([2, 2]);
  expect(sizes(parts(1, 32 * 2 ** 20))).toEqual([2, 2]);
  expect(sizes(parts(1, 32 * 2 ** 20 + 1))).toEqual([1, 1, 1, 1]);
  expect(sizes(parts(50, 1, 'tenders'))).toEqual([2, 2]);
});

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
