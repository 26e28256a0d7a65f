import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decodePart, readManifests, readRunRows } from '../../../../src/landing/index.js';
import { compactLanding } from '../../../../src/maintenance/compact/compact.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

// Not compared: these tables contain the time of the build, or the number of bodies loaded.
const LEFT_OUT = new Set(['ops.checks', 'meta.models', 'meta.model_changes', 'ops.drift']);

const company = (id: number, day: number, phone: string, status = 200): Answer => ({
  stream: 'companies',
  entity: String(id),
  run: `n${day}`,
  date: `2026-11-0${day}`,
  at: `2026-11-0${day}T02:30:00.000Z`,
  status,
  body: status === 200 ? { id, name: 'Ö"№', company_phone: [phone] } : { detail: 'Not found.' },
});

/** Five nights of three companies: the second never changes, the third is gone one night and returns. */
async function landNights(dataDir: string): Promise<void> {
  for (let day = 1; day <= 5; day++) {
    await land(dataDir, marketNight({ run: `n${day}`, date: `2026-11-0${day}`, ids: [1, 2, 3] }));
    // Each answer is one part.
    await land(dataDir, [company(1, day, day < 3 ? 'a' : 'b')]);
    await land(dataDir, [company(2, day, 'same')]);
    await land(dataDir, [company(3, day, 'c', day === 3 ? 404 : 200)]);
    const report = { 2024: { Turnover: 7, Currency: 'EUR', Odd: { x: 1 } } };
    await land(dataDir, [
      {
        stream: 'financials',
        entity: '1',
        run: `n${day}`,
        date: `2026-11-0${day}`,
        at: `2026-11-0${day}T02:40:00.000Z`,
        body: report,
      },
    ]);
  }
}

async function tablesOf(warehouse: Warehouse): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { model } of await readModels()) {
    if (!LEFT_OUT.has(model)) tables[model] = await warehouse.db.rows(`SELECT * FROM ${model} ORDER BY ALL`);
  }
  return tables;
}

/** Leaves out the numbers of rejects of a run. */
function withoutRejects(tables: Record<string, unknown[]>): Record<string, unknown[]> {
  const counted = ['ops.runs', 'ops.night_quality'].map((table) => [
    table,
    (tables[table] ?? []).map((row) => ({ ...(row as object), rejects: null })),
  ]);
  return { ...tables, ...Object.fromEntries(counted) };
}

async function loaded(dataDir: string): Promise<Warehouse> {
  const warehouse = await openTestWarehouse(dataDir);
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse);
  return warehouse;
}

/** The tables that the present landing zone gives. */
async function rebuilt(dataDir: string): Promise<Record<string, unknown[]>> {
  const copy = temporaryDataDir();
  cpSync(path.join(dataDir, 'landing'), path.join(copy, 'landing'), { recursive: true });
  return tablesOf(await loaded(copy));
}

const landedRows = (dataDir: string) =>
  readManifests(dataDir).flatMap(({ stream, run, date }) =>
    readRunRows({ data: new Data(dataDir), stream, run, date }),
  );

/** The SHA-256 of the rows' hashes, one per line, as a crawl writes it into a part's footer. */
const contentOf = (hashes: string[]) =>
  createHash('sha256')
    .update(hashes.map((hash) => `${hash}\n`).join(''))
    .digest('hex');

describe('compaction of landed parts', () => {
  test('joins parts of a run and stream without changing rows or tables', async () => {
    const dataDir = temporaryDataDir();
    await landNights(dataDir);
    const warehouse = await loaded(dataDir);
    const lived = await tablesOf(warehouse);
    const target = { data: new Data(dataDir), stream: 'companies', run: 'n2', date: '2026-11-02' } as const;
    const before = readRunRows(target);

    const done = await compactLanding(warehouse, new Data(dataDir), { minParts: 3 });
    expect(done).toMatchObject({ folders: 5, partsBefore: 15, partsAfter: 5, dropped: 0 });
    expect(readRunRows(target)).toEqual(before);
    const folder = path.join(dataDir, 'landing', 'companies', 'date=2026-11-02', 'run=n2');
    expect(readdirSync(folder).filter((name) => name.endsWith('.parquet'))).toEqual([
      expect.stringMatching(/^part-joined-[0-9a-f]{12}\.[0-9a-f]{12}\.parquet$/),
    ]);
    expect(readdirSync(path.join(folder, '_manifest'))).toHaveLength(1);
    const footer = await warehouse.db.rows<{ key: string; value: string }>(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path.join(folder, '*.parquet')}')`,
    );
    expect(footer).toEqual(
      expect.arrayContaining([
        { key: 'stream', value: 'companies' },
        { key: 'run', value: 'n2' },
        { key: 'schema_version', value: '1' },
        { key: 'content', value: contentOf(before.map(({ sha256 }) => sha256)) },
      ]),
    );

    // Nothing is loaded or compacted again.
    expect(await loadLanding(warehouse, new Data(dataDir))).toEqual({ parts: 0, rows: 0, rejects: 0 });
    expect(await compactLanding(warehouse, new Data(dataDir), { minParts: 3 })).toMatchObject({ folders: 0 });
    expect(await rebuilt(dataDir)).toEqual(lived);
  });

  test('drops repeated answers and nothing that a table needs', async () => {
    const dataDir = temporaryDataDir();
    await landNights(dataDir);
    const warehouse = await loaded(dataDir);
    const lived = await tablesOf(warehouse);
    const rows = landedRows(dataDir).length;
    const before = new Date('2026-11-05T00:00:00Z');

    const done = await compactLanding(warehouse, new Data(dataDir), { minParts: 100, dropRepeatsBefore: before });
    // Dropped: company 1's fourth night, and nights two to four of company 2 and of the report. Company 3 was gone in
    // between.
    expect(done.dropped).toBe(7);
    expect(new Set(landedRows(dataDir).map((row) => JSON.stringify(row))).size).toBeLessThan(rows);
    // Every part states its content in its footer, whether it was crawled, joined or emptied.
    for (const { file } of readManifests(dataDir)) {
      const [content] = await warehouse.db.rows(
        `SELECT decode(value) AS value FROM parquet_kv_metadata('${file}') WHERE decode(key) = 'content'`,
      );
      expect(content).toEqual({ value: contentOf(decodePart(readFileSync(file)).map(({ sha256 }) => sha256)) });
    }
    // Two tables count the rejects in the remaining answers of a run. The report has one in each night.
    const replayed = await rebuilt(dataDir);
    const rejects = (runs: unknown[] = []) => runs.map((row) => Number((row as { rejects: string }).rejects));
    expect([lived['ops.runs'], replayed['ops.runs']].map(rejects)).toEqual([
      [1, 1, 1, 1, 1],
      [1, 0, 0, 0, 1],
    ]);
    expect(withoutRejects(replayed)).toEqual(withoutRejects(lived));
    expect(
      await compactLanding(warehouse, new Data(dataDir), { minParts: 100, dropRepeatsBefore: before }),
    ).toMatchObject({
      dropped: 0,
    });
  });

  test('leaves each row once when stopped at any moment', async () => {
    const dataDir = temporaryDataDir();
    await landNights(dataDir);
    const untouched = temporaryDataDir();
    cpSync(dataDir, untouched, { recursive: true });
    const warehouse = await loaded(dataDir);
    const lived = await tablesOf(warehouse);
    await compactLanding(warehouse, new Data(dataDir), { minParts: 3 });
    // Simulates a stop before the first part was removed: joined parts and the replaced ones exist.
    cpSync(path.join(untouched, 'landing'), path.join(dataDir, 'landing'), { recursive: true });
    expect(await rebuilt(dataDir)).toEqual(lived);
    expect(readManifests(dataDir).filter(({ stream }) => stream === 'companies')).toHaveLength(5);
    // The next compaction continues.
    await compactLanding(warehouse, new Data(dataDir), { minParts: 3 });
    const folder = path.join(dataDir, 'landing', 'companies', 'date=2026-11-02', 'run=n2');
    expect(readdirSync(folder).filter((name) => name.endsWith('.parquet'))).toHaveLength(1);

    // A warehouse that loaded the replaced parts counts the joined ones as loaded.
    const other = await openWarehouse(new Data(untouched));
    onTestFinished(() => other.close());
    await loadLanding(other, new Data(untouched));
    await buildModels(other);
    rmSync(path.join(untouched, 'landing'), { recursive: true });
    cpSync(path.join(dataDir, 'landing'), path.join(untouched, 'landing'), { recursive: true });
    expect(await loadLanding(other, new Data(untouched))).toEqual({ parts: 0, rows: 0, rejects: 0 });
    expect(await tablesOf(other)).toEqual(lived);
  });

  test('skips parts that are not loaded and runs that are open', async () => {
    const dataDir = temporaryDataDir();
    await landNights(dataDir);
    await land(dataDir, marketNight({ run: 'open', date: '2026-11-06', ids: [1], finished: false }));
    const open = { run: 'open', date: '2026-11-06' };
    for (const id of [7, 8, 9]) await land(dataDir, [{ ...company(id, 5, 'x'), ...open }]);
    const warehouse = await loaded(dataDir);
    for (const id of [7, 8, 9]) await land(dataDir, [{ ...company(id, 5, 'x'), run: 'n5', date: '2026-11-05' }]);
    const done = await compactLanding(warehouse, new Data(dataDir), { minParts: 3 });
    expect(done).toMatchObject({ folders: 4, partsBefore: 12 });
    expect(readManifests(dataDir, { stream: 'companies', run: 'open' })).toHaveLength(3);
    expect(readManifests(dataDir, { stream: 'companies', run: 'n5' })).toHaveLength(6);
  });

  test('names a part that differs from its manifest and removes nothing', async () => {
    const dataDir = temporaryDataDir();
    await landNights(dataDir);
    const warehouse = await loaded(dataDir);
    const [part] = readManifests(dataDir, { stream: 'companies', run: 'n3' });
    const file = part?.file ?? '';
    const whole = readFileSync(file);
    rmSync(file);
    await expect(compactLanding(warehouse, new Data(dataDir), { minParts: 3 })).rejects.toThrow(/is missing/);
    cpSync(readManifests(dataDir, { stream: 'companies', run: 'n4' })[0]?.file ?? '', file);
    await expect(compactLanding(warehouse, new Data(dataDir), { minParts: 3 })).rejects.toThrow(/manifest says/);
    expect(whole.length).toBeGreaterThan(0);
    expect(readManifests(dataDir, { stream: 'companies', run: 'n3' })).toHaveLength(3);
  });
});

describe('compaction of folders without models', () => {
  const runEnds: Answer[] = marketNight({ run: 'n1', date: '2026-11-01', ids: [1] });
  const landParts = async (dataDir: string, answers: Answer[]): Promise<void> => {
    for (const answer of answers) await land(dataDir, [answer]);
  };

  async function loadedWarehouse(dataDir: string): Promise<Warehouse> {
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    return warehouse;
  }

  test('counts parts and bytes, and skips single parts and run records', async () => {
    const dataDir = temporaryDataDir();
    await landParts(dataDir, [...runEnds, ...runEnds, company(1, 1, 'a'), company(2, 1, 'b')]);
    const warehouse = await loadedWarehouse(dataDir);
    const bytesOf = (stream: 'companies' | 'prospecting' | 'coverage') =>
      readManifests(dataDir, { stream }).reduce((sum, { bytes }) => sum + bytes, 0);
    const streams = ['companies', 'prospecting', 'coverage'] as const;
    const bytesBefore = streams.reduce((sum, stream) => sum + bytesOf(stream), 0);
    // `minParts: 0` joins folders with two parts or more: a single part cannot be joined.
    const done = await compactLanding(warehouse, new Data(dataDir), { minParts: 0 });
    const bytesAfter = streams.reduce((sum, stream) => sum + bytesOf(stream), 0);
    expect(done).toEqual({ folders: 3, partsBefore: 6, partsAfter: 3, bytesBefore, bytesAfter, dropped: 0 });
    expect(readManifests(dataDir, { stream: 'runs' })).toHaveLength(2);
    expect(await compactLanding(warehouse, new Data(dataDir), { minParts: 0 })).toEqual({
      folders: 0,
      partsBefore: 0,
      partsAfter: 0,
      bytesBefore: 0,
      bytesAfter: 0,
      dropped: 0,
    });
  });

  test('joins webhook deliveries of past days and skips folders with a spool', async () => {
    const dataDir = temporaryDataDir();
    const delivery = (id: number, date: string): Answer => ({
      stream: 'watch_events',
      run: 'webhook',
      request: 'WEBHOOK /delivery',
      entity: String(id),
      date,
      at: `${date}T10:00:00Z`,
      body: { company_data: { id, date: `${date}T10:00:00Z` }, field: 'officer.appointment', new_value: 'Ann' },
    });
    const [old, today] = ['2026-11-01', new Date().toISOString().slice(0, 10)];
    await landParts(dataDir, [delivery(1, old), delivery(2, old), delivery(1, today), delivery(2, today)]);
    await landParts(dataDir, [...runEnds, company(1, 1, 'a'), company(2, 1, 'b')]);
    const spool = path.join(dataDir, 'landing', 'companies', 'date=2026-11-01', 'run=n1', '_spool');
    mkdirSync(spool, { recursive: true });
    writeFileSync(path.join(spool, 'part-chunk.spool'), '');
    // A killed process leaves a temporary file.
    writeFileSync(path.join(spool, '.part-chunk.spool.1.17.0a1b2c3d.tmp'), '');
    const warehouse = await loadedWarehouse(dataDir);
    expect(await compactLanding(warehouse, new Data(dataDir), { minParts: 2 })).toMatchObject({
      folders: 1,
      partsBefore: 2,
    });
    expect(
      readManifests(dataDir, { stream: 'watch_events' })
        .map(({ date }) => date)
        .toSorted(),
    ).toEqual([old, today, today]);
    rmSync(path.join(spool, 'part-chunk.spool'));
    expect(await compactLanding(warehouse, new Data(dataDir), { minParts: 2 })).toMatchObject({
      folders: 1,
      partsBefore: 2,
    });
  });

  test('writes a manifest with the whole time span of the joined parts', async () => {
    const dataDir = temporaryDataDir();
    const at = (id: number, minute: string): Answer => ({
      ...company(id, 1, 'a'),
      at: `2026-11-01T02:${minute}:00.000Z`,
    });
    await landParts(dataDir, [...runEnds, at(1, '40'), at(2, '10'), at(3, '50')]);
    const before = readManifests(dataDir, { stream: 'companies' });
    await compactLanding(await loadedWarehouse(dataDir), new Data(dataDir), { minParts: 2 });
    const [part, ...others] = readManifests(dataDir, { stream: 'companies' });
    expect(others).toEqual([]);
    expect(part).toMatchObject({
      stream: 'companies',
      run: 'n1',
      date: '2026-11-01',
      market: 'm',
      rows: 3,
      firstFetchedAt: '2026-11-01T02:10:00.000Z',
      lastFetchedAt: '2026-11-01T02:50:00.000Z',
      bytes: readFileSync(part?.file ?? '').byteLength,
      sha256: createHash('sha256')
        .update(readFileSync(part?.file ?? ''))
        .digest('hex'),
      replaces: before.map(({ part: name, sha256 }) => ({ part: name, sha256 })),
    });
  });

  test('removes nothing if the joined part differs from its source parts', async () => {
    const dataDir = temporaryDataDir();
    await landParts(dataDir, [...runEnds, company(1, 1, 'a'), company(2, 1, 'b')]);
    const warehouse = await loadedWarehouse(dataDir);
    const before = readManifests(dataDir, { stream: 'companies' });
    // Simulates a disk that loses a row: the joined part holds only the rows of the first source part.
    const run = warehouse.db.run.bind(warehouse.db);
    vi.spyOn(warehouse.db, 'run').mockImplementation(async (sql, params) => {
      await run(sql, params);
      const [, file] = /^COPY .* TO '([^']+)'/s.exec(sql) ?? [];
      if (file?.includes('companies') === true) cpSync(before[0]?.file ?? '', file);
    });
    const folder = path.join(dataDir, 'landing', 'companies', 'date=2026-11-01', 'run=n1');
    const names = readdirSync(folder).toSorted();
    await expect(compactLanding(warehouse, new Data(dataDir), { minParts: 2 })).rejects.toMatchObject({
      message: expect.stringContaining('differs from its source parts') as string,
      todo: expect.stringContaining('No part was removed') as string,
    });
    expect(readdirSync(folder).toSorted()).toEqual(names);
    expect(readManifests(dataDir, { stream: 'companies' })).toEqual(before);
  });
});
