import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test, vi } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { publishedFile } from '../../../../src/store/data-folder.js';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { removeOldBuilds, showBuild } from '../../../../src/warehouse/builds/switch.js';
import { LISTS_OPEN_FILES, openFilesBelow } from '../../../helpers/open-files.js';
import { land, marketNight, openTestWarehouse, prepareBuilt, prepareOnce } from '../../../helpers/warehouse.js';

const NOW = new Date('2026-11-20T04:00:00Z');

const copyBuilt = prepareOnce((dataDir) =>
  prepareBuilt(dataDir, [
    ...marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }),
    { stream: 'companies', entity: '1', body: { id: 1, name: 'A', company_phone: ['1'], founding_date: '2001-02-03' } },
    { stream: 'financials', entity: '1', body: { 2024: { Turnover: 1.5, Currency: 'EUR' } } },
    { stream: 'quota', entity: 'a', body: { metric: 'daily', used: 1, total: 9, read_at: '2026-11-20T01:00:00Z' } },
    { stream: 'quota', entity: 'b', body: { metric: 'daily', used: 5, total: 9, read_at: '2026-11-20T03:00:00Z' } },
  ]),
);

async function builtWarehouse(): Promise<{ dataDir: string; warehouse: Warehouse }> {
  const dataDir = copyBuilt();
  return { dataDir, warehouse: await openTestWarehouse(dataDir) };
}

describe('publish', () => {
  test('publishes every model with comments and a receipt, and no leftovers', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const result = await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    expect(result).toMatchObject({
      file: path.join('published', 'market.duckdb'),
      tables: (await readModels()).length + 1,
    });
    expect(lstatSync(publishedFile(dataDir)).isSymbolicLink()).toBe(true);
    const builds = path.join(dataDir, 'published', 'builds');
    const name = '20261120T040000000Z-r1';
    expect(realpathSync(publishedFile(dataDir))).toBe(path.join(realpathSync(builds), name, 'market.duckdb'));
    expect(readdirSync(builds)).toEqual([name]);
    expect(readdirSync(path.join(builds, name)).toSorted()).toEqual(['lake', 'lake-delta', 'market.duckdb']);

    const uncommented = `SELECT table_name FROM duckdb_columns() WHERE comment IS NULL AND schema_name IN ('core', 'marts', 'ops', 'meta')
      UNION ALL SELECT table_name FROM duckdb_tables() WHERE comment IS NULL`;
    expect(await queryPublished(dataDir, uncommented)).toEqual([]);
    const receipt = await queryPublished(
      dataDir,
      `SELECT run, built_at, config_hash, parts, landed_rows, tables ->> '$."core.companies"', coverage -> '$[0].missing' FROM meta.receipt`,
    );
    expect(receipt).toEqual([['r1', '2026-11-20T04:00:00Z', 'c', 6, 7, '2', '0']]);
    const tables = await queryPublished(dataDir, `SELECT count(*)::INTEGER FROM duckdb_tables()`);
    expect(tables).toEqual([[result.tables]]);
  });

  test('writes the lake as zstd Parquet with run and fingerprint in the footer', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const file = path.join(dataDir, 'published', 'lake', 'core', 'companies', 'data.parquet');
    expect(await warehouse.db.count(`SELECT count(*) FROM '${file}'`)).toBe(2);
    expect(await warehouse.db.rows(`SELECT DISTINCT compression FROM parquet_metadata('${file}')`)).toEqual([
      { compression: 'ZSTD' },
    ]);
    const footer = await warehouse.db.rows(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${file}') ORDER BY key`,
    );
    const fingerprint = (await readModels()).find((model) => model.model === 'core.companies')?.fingerprint;
    expect(footer).toEqual(
      expect.arrayContaining([
        { key: 'fingerprint', value: fingerprint },
        { key: 'run', value: 'r1' },
      ]),
    );
  });

  test('adds files to the lake and keeps unchanged ones', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const lake = path.join(dataDir, 'published', 'lake');
    const file = (name: string) => statSync(path.join(lake, name));
    const names = [
      'marts/market_members/2026-11-20.parquet',
      'core/companies_history/data.parquet',
      'core/companies/data.parquet',
    ] as const;
    const before = names.map((name) => file(name).ino);
    await land(dataDir, marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 3] }));
    await loadLanding(warehouse, dataDir);
    await buildModels(warehouse);
    await publish(warehouse, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 60_000) });
    const [members, history, companies] = names.map((name) => file(name).ino);
    expect([members, history]).toEqual(before.slice(0, 2));
    expect(companies).not.toBe(before[2]);
    for (const { model } of await readModels()) {
      const all = path.join(lake, ...model.split('.'), '*.parquet');
      const differing = await warehouse.db.count(
        `SELECT count(*) FROM (
          (FROM ${model} EXCEPT ALL FROM read_parquet('${all}')) UNION ALL (FROM read_parquet('${all}') EXCEPT ALL FROM ${model}))`,
      );
      expect([model, differing]).toEqual([model, 0]);
    }
  });

  test('rewrites a list that changed between NULL and empty', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const lake = path.join(dataDir, 'published', 'lake', 'core', 'companies', 'data.parquet');
    const phones = async () => (await warehouse.db.rows(`SELECT phones FROM '${lake}' WHERE company_id = 1`))[0];
    for (const [n, list] of [['NULL'], ['[]'], ['[NULL]'], [`['NULL']`]].entries()) {
      await warehouse.db.run(`UPDATE core.companies SET phones = ${list[0]}`);
      await publish(warehouse, dataDir, { run: `r${n}`, now: new Date(NOW.getTime() + n * 60_000), full: true });
      const [wanted] = await warehouse.db.rows(`SELECT CAST(${list[0]} AS VARCHAR[]) AS phones`);
      expect(await phones()).toEqual(wanted);
    }
  });

  test('switches readers to earlier builds and never removes the current one', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const run = 'SELECT run FROM meta.receipt';
    for (let n = 1; n <= 3; n++)
      await publish(warehouse, dataDir, { run: `r${n}`, now: new Date(NOW.getTime() + n * 60_000), graceSeconds: 0 });
    const [newest, previous, oldest] = listBuilds(dataDir);
    expect([newest, previous, oldest].map((build) => [build?.run, build?.current])).toEqual([
      ['r3', true],
      ['r2', false],
      ['r1', false],
    ]);
    await showBuild(dataDir, oldest?.name ?? '');
    expect(await queryPublished(dataDir, run)).toEqual([['r1']]);
    await removeOldBuilds(dataDir, { keep: 1, graceSeconds: 0 });
    expect(await queryPublished(dataDir, run)).toEqual([['r1']]);
    await expect(showBuild(dataDir, previous?.name ?? '')).rejects.toThrow(/There is no build/);
    await publish(warehouse, dataDir, { run: 'r4', now: new Date(NOW.getTime() + 240_000) });
    expect(await queryPublished(dataDir, run)).toEqual([['r4']]);
  });

  test('shows readers no error while builds replace each other', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const held = await DuckDBInstance.create(publishedFile(dataDir), { access_mode: 'READ_ONLY' });
    const connection = await held.connect();
    const state = { stop: false };
    let reads = 0;
    const reading = (async () => {
      while (!state.stop) {
        const kept = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM core.companies');
        const fresh = await queryPublished(dataDir, 'SELECT count(*)::INTEGER FROM core.companies');
        expect([kept.getRowsJson(), fresh]).toEqual([[[2]], [[2]]]);
        reads++;
      }
    })();
    for (let n = 1; n <= 4; n++)
      await publish(warehouse, dataDir, { run: `r${n}`, now: new Date(NOW.getTime() + n * 60_000), keep: 1 });
    state.stop = true;
    await reading;
    expect(reads).toBeGreaterThan(0);
    // An open reader keeps working even after its build was removed.
    await publish(warehouse, dataDir, { run: 'r5', now: new Date(NOW.getTime() + 300_000), keep: 1, graceSeconds: 0 });
    expect(readdirSync(path.join(dataDir, 'published', 'builds'))).toHaveLength(1);
    const kept = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM core.companies');
    expect(kept.getRowsJson()).toEqual([[2]]);
    held.closeSync();
  });

  test('keeps the configured number of builds and never reuses a name', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    for (let n = 0; n < 5; n++)
      await publish(warehouse, dataDir, {
        run: 'r1',
        now: new Date(NOW.getTime() + (n % 2) * 60_000),
        graceSeconds: 0,
      });
    const builds = path.join(dataDir, 'published', 'builds');
    expect(readdirSync(builds)).toHaveLength(3);
    for (const build of readdirSync(builds))
      expect(readdirSync(path.join(builds, build)).toSorted()).toEqual(['lake', 'lake-delta', 'market.duckdb']);
  });

  test.each([
    ['lost rows', 'DELETE FROM build.core.companies WHERE company_id = 1', /core\.companies has 1 rows instead of 2/],
    ['lost a comment', 'COMMENT ON COLUMN build.core.companies.name IS NULL', /1 columns have no comment/],
    ['lost a table', 'DROP TABLE build.marts.companies', /failed its check/],
  ])('refuses to publish a file that %s while it was written', async (_, damage, message) => {
    const { dataDir, warehouse } = await builtWarehouse();
    const { db } = warehouse;
    const run = db.run.bind(db);
    vi.spyOn(db, 'run').mockImplementation(async (sql, ...rest) => {
      if (sql === 'CHECKPOINT build') await run(damage);
      return run(sql, ...rest);
    });
    await expect(publish(warehouse, dataDir, { run: 'r1', now: NOW })).rejects.toThrow(message);
    expect(listBuilds(dataDir)).toEqual([]);
    expect(existsSync(publishedFile(dataDir))).toBe(false);
  });

  test.skipIf(!LISTS_OPEN_FILES)('closes the files of the build, so removing it frees space', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    expect(openFilesBelow(dataDir)).toContain(path.join('warehouse', 'tidemark.duckdb'));
    expect(openFilesBelow(path.join(dataDir, 'published'))).toEqual([]);
  });

  test('keeps the last build for readers when publishing fails', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const before = realpathSync(publishedFile(dataDir));
    await warehouse.db.run('DROP TABLE marts.companies');
    await expect(publish(warehouse, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 1000) })).rejects.toThrow(
      /companies does not exist/,
    );
    expect(realpathSync(publishedFile(dataDir))).toBe(before);
    expect(readdirSync(path.join(dataDir, 'published', 'builds'))).toHaveLength(1);
    // The next publication succeeds.
    await buildModels(warehouse);
    await publish(warehouse, dataDir, { run: 'r3', now: new Date(NOW.getTime() + 2000) });
    expect(realpathSync(publishedFile(dataDir))).toContain('r3');
  });

  test('ignores a build without its lake or file', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const again = (n: number) =>
      publish(warehouse, dataDir, {
        run: `r${n}`,
        now: new Date(NOW.getTime() + n * 60_000),
        graceSeconds: 0,
        keep: 2,
      });
    for (let n = 1; n <= 2; n++) await again(n);
    const builds = path.join(dataDir, 'published', 'builds');
    const half = '20261120T040230000Z-r2';
    mkdirSync(path.join(builds, half));
    writeFileSync(path.join(builds, half, 'market.duckdb'), '');
    expect(listBuilds(dataDir).map(({ run }) => run)).toEqual(['r2', 'r1']);
    await expect(showBuild(dataDir, half)).rejects.toThrow(/There is no build/);
    await again(3);
    expect(listBuilds(dataDir).map(({ run }) => run)).toEqual(['r3', 'r2']);
  });
});

test('returns plain values from the published file', async () => {
  const { dataDir, warehouse } = await builtWarehouse();
  await publish(warehouse, dataDir, { run: 'r1', now: NOW });
  const rows = await queryPublished(
    dataDir,
    'SELECT company_id, phones, founding_date, observed_at FROM core.companies ORDER BY company_id LIMIT 1;',
  );
  expect(rows).toEqual([[1, ['1'], '2001-02-03', '2026-11-20T02:00:00Z']]);
});
