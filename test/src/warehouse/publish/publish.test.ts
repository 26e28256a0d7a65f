import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { tableBegun } from '../../../../src/base/observed.js';
import { WarehouseBusyError } from '../../../../src/warehouse/duckdb/errors.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { readLakeIndex } from '../../../../src/warehouse/builds/lake-index.js';
import { publishedFile, warehouseFile } from '../../../../src/store/data-folder.js';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { readOnly, openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { removeOldBuilds, showBuild } from '../../../../src/warehouse/builds/switch.js';
import { copyClosed } from '../../../../src/warehouse/duckdb/copy-closed.js';
import { findDifferences } from '../../../helpers/compare-published.js';
import { LISTS_OPEN_FILES, openFilesBelow } from '../../../helpers/open-files.js';
import {
  land,
  marketNight,
  openTestWarehouse,
  prepareBuilt,
  prepareOnce,
  publishAndReopen,
} from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

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
      // The models, the receipt, and the tables of the schema base.
      tables: (await readModels()).length + 10,
    });
    expect(lstatSync(publishedFile(dataDir)).isSymbolicLink()).toBe(true);
    const builds = path.join(dataDir, 'published', 'builds');
    const name = '20261120T040000000Z-r1';
    expect(realpathSync(publishedFile(dataDir))).toBe(path.join(realpathSync(builds), name, 'market.duckdb'));
    expect(readdirSync(builds)).toEqual([name]);
    expect(readdirSync(path.join(builds, name)).toSorted()).toEqual(['build.json', 'lake', 'market.duckdb']);

    const uncommented = `SELECT table_name FROM duckdb_columns() WHERE comment IS NULL AND NOT internal
      UNION ALL SELECT table_name FROM duckdb_tables() WHERE comment IS NULL
      UNION ALL SELECT view_name FROM duckdb_views() WHERE comment IS NULL AND NOT internal`;
    expect(await queryPublished(dataDir, uncommented)).toEqual([]);
    const receipt = await queryPublished(
      dataDir,
      `SELECT run, built_at, config_hash, parts, landed_rows, tables ->> '$."core.companies"', coverage -> '$[0].missing' FROM meta.receipt`,
    );
    expect(receipt).toEqual([['r1', '2026-11-20T04:00:00Z', 'c', 6, 7, '2', '0']]);
    const tables = `SELECT (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)`;
    expect(await queryPublished(dataDir, `SELECT CAST((${tables}) AS INTEGER)`)).toEqual([[result.tables]]);
    const others = `SELECT DISTINCT schema_name FROM duckdb_columns() WHERE NOT internal UNION
      SELECT schema_name FROM duckdb_functions() WHERE NOT internal ORDER BY 1`;
    expect((await queryPublished(dataDir, others)).flat()).toEqual(['base', 'core', 'marts', 'meta', 'ops']);
  });

  test('writes the lake as zstd Parquet with run and fingerprint in the footer', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const file = path.join(dataDir, 'published', 'lake', 'core', 'companies', '*.parquet');
    const fingerprint = (await readModels()).find((model) => model.model === 'core.companies')?.fingerprint;
    await withMemory('test', async (db) => {
      expect(await db.count(`SELECT count(*) FROM '${file}'`)).toBe(2);
      expect(await db.rows(`SELECT DISTINCT compression FROM parquet_metadata('${file}')`)).toEqual([
        { compression: 'ZSTD' },
      ]);
      const footer = await db.rows(
        `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${file}') ORDER BY key`,
      );
      expect(footer).toEqual(
        expect.arrayContaining([
          { key: 'fingerprint', value: fingerprint },
          { key: 'run', value: 'r1' },
        ]),
      );
    });
  });

  test('keeps the lake files of unchanged tables and nights, and never changes a file', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const lake = path.join(dataDir, 'published', 'lake');
    const filesOf = (table: string) =>
      readLakeIndex(lake)?.tables[table]?.files.map(({ file }) => `${file} ${statSync(path.join(lake, file)).ino}`) ??
      [];
    let open = await publishAndReopen(warehouse, dataDir, { run: 'r1', now: NOW });
    const tables = ['marts.market_members', 'core.companies_history', 'core.companies'];
    const [members = [], history, companies] = tables.map(filesOf);
    await land(dataDir, marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 3] }));
    await loadLanding(open, new Data(dataDir));
    await buildModels(open);
    open = await publishAndReopen(open, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 60_000) });
    expect(members).toHaveLength(1);
    expect(filesOf('marts.market_members')).toEqual([
      ...members,
      expect.stringMatching(/\/2026-11-21-[0-9a-f]{16}\.parquet /),
    ]);
    expect(filesOf('core.companies_history')).toEqual(history);
    expect(filesOf('core.companies')).not.toEqual(companies);
    await open.close();
    expect(await findDifferences(dataDir)).toEqual([]);
  });

  test('takes no lake file from an older copy of the warehouse that went another way', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const older = `${warehouseFile(dataDir)}.older`;
    await (await publishAndReopen(warehouse, dataDir, { run: 'r1', now: NOW })).close();
    copyFileSync(warehouseFile(dataDir), older);
    for (const [n, name] of ['Left', 'Right'].entries()) {
      const answer = {
        stream: 'companies',
        entity: '1',
        body: { id: 1, name },
        run: `r${n}`,
        date: '2026-11-21',
      } as const;
      copyFileSync(older, warehouseFile(dataDir));
      const open = await openWarehouse(new Data(dataDir));
      await land(dataDir, [answer]);
      await loadLanding(open, new Data(dataDir), { isWanted: ({ run }) => run !== (n === 1 ? 'r0' : 'r1') });
      await buildModels(open);
      await (
        await publishAndReopen(open, dataDir, { run: name, now: new Date(NOW.getTime() + (n + 1) * 60_000) })
      ).close();
      expect(await findDifferences(dataDir)).toEqual([]);
    }
  });

  test('switches readers to earlier builds and never removes the current one', async () => {
    const built = await builtWarehouse();
    const { dataDir } = built;
    let { warehouse } = built;
    const run = 'SELECT run FROM meta.receipt';
    for (let n = 1; n <= 3; n++)
      warehouse = await publishAndReopen(warehouse, dataDir, {
        run: `r${n}`,
        now: new Date(NOW.getTime() + n * 60_000),
        graceSeconds: 0,
      });
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
    const built = await builtWarehouse();
    const { dataDir } = built;
    let warehouse = await publishAndReopen(built.warehouse, dataDir, { run: 'r1', now: NOW });
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
      warehouse = await publishAndReopen(warehouse, dataDir, {
        run: `r${n}`,
        now: new Date(NOW.getTime() + n * 60_000),
        keep: 1,
      });
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
    const built = await builtWarehouse();
    const { dataDir } = built;
    let { warehouse } = built;
    for (let n = 0; n < 5; n++)
      warehouse = await publishAndReopen(warehouse, dataDir, {
        run: 'r1',
        now: new Date(NOW.getTime() + (n % 2) * 60_000),
        graceSeconds: 0,
      });
    const builds = path.join(dataDir, 'published', 'builds');
    expect(readdirSync(builds)).toHaveLength(3);
    for (const build of readdirSync(builds))
      expect(readdirSync(path.join(builds, build)).toSorted()).toEqual(['build.json', 'lake', 'market.duckdb']);
  });

  test('refuses a view that readers could not read', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await warehouse.db.run('CREATE OR REPLACE VIEW ops.checks AS SELECT * FROM ledger.answers');
    await expect(publish(warehouse, dataDir, { run: 'r1', now: NOW })).rejects.toThrow(
      /ops\.checks \(sql\/ops\/checks\.sql\) cannot be published as a view: .*answers/,
    );
    expect(listBuilds(dataDir)).toEqual([]);
    expect(existsSync(publishedFile(dataDir))).toBe(false);
  });

  test('finds a damaged block of the warehouse within a week', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const days = (count: number) => new Date(NOW.getTime() + count * 86_400_000);
    const open = await publishAndReopen(warehouse, dataDir, { run: 'r0', now: NOW });
    await (await publishAndReopen(open, dataDir, { run: 'r1', now: days(1) })).close();
    const file = warehouseFile(dataDir);
    const [at] = await readOnly(file, (db) =>
      db.rows<{ block: number }>(
        `SELECT max(block_id) AS block FROM pragma_storage_info('ledger.observations') WHERE persistent`,
      ),
    );
    const bytes = readFileSync(file);
    const place = 3 * 4_096 + Number(at?.block) * 262_144 + 100;
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
    await (
      await publishAndReopen(await openWarehouse(new Data(dataDir)), dataDir, { run: 'r2', now: days(6) })
    ).close();
    const late = publishAndReopen(await openWarehouse(new Data(dataDir)), dataDir, { run: 'r3', now: days(7) });
    await expect(late).rejects.toThrow(`${file} is damaged`);
    expect(listBuilds(dataDir).map(({ run }) => run)).toEqual(['r2', 'r1', 'r0']);
  });

  test('writes the warehouse file again if a quarter of its blocks is free', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await warehouse.db.run(
      'CREATE TABLE ledger.big AS SELECT hash(i) AS a, hash(i + 1) AS b FROM range(3000000) AS t(i)',
    );
    await warehouse.db.run('CHECKPOINT');
    await warehouse.db.run('DROP TABLE ledger.big');
    const objects = `SELECT schema_name, table_name AS name, column_name AS part, comment FROM duckdb_columns() WHERE NOT internal
      UNION ALL SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal
      UNION ALL SELECT schema_name, function_name, macro_definition, comment FROM duckdb_functions() WHERE NOT internal
      UNION ALL SELECT schema_name, table_name, sql, comment FROM duckdb_tables() WHERE NOT internal ORDER BY ALL`;
    const before = await warehouse.db.rows(`SELECT * FROM (${objects}) WHERE schema_name <> 'temp'`);
    const bytes = statSync(warehouseFile(dataDir)).size;
    const open = await publishAndReopen(warehouse, dataDir, { run: 'r1', now: NOW });
    expect(statSync(warehouseFile(dataDir)).size).toBeLessThan(bytes / 2);
    expect(await open.db.rows(`SELECT * FROM (${objects}) WHERE schema_name <> 'temp'`)).toEqual(before);
    await land(dataDir, marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 3] }));
    await loadLanding(open, new Data(dataDir));
    await buildModels(open);
    await (await publishAndReopen(open, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 60_000) })).close();
    expect(await findDifferences(dataDir)).toEqual([]);
  });

  test('keeps other processes out of the warehouse while its file is copied', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await expect(copyClosed(warehouse.db.file, path.join(dataDir, 'copy'))).rejects.toThrow('is open');
    const opened: unknown[] = [];
    const stop = tableBegun.listen(({ done }) => {
      if (done === 0) opened.push(openWarehouse(new Data(dataDir)).catch((error: unknown) => error));
      if (done === 0)
        opened.push(openFilesBelow(path.dirname(warehouseFile(dataDir))).filter((f) => f.endsWith('.duckdb')));
    });
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    stop();
    const [busy, files] = await Promise.all(opened);
    expect(busy).toBeInstanceOf(WarehouseBusyError);
    if (LISTS_OPEN_FILES) expect(files).toEqual([]);
    await expect(openWarehouse(new Data(dataDir))).rejects.toThrow(WarehouseBusyError);
    await warehouse.close();
    await (await openWarehouse(new Data(dataDir))).close();
  });

  test.skipIf(!LISTS_OPEN_FILES)('closes the files of the build, so removing it frees space', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    expect(openFilesBelow(dataDir)).toEqual([]);
  });

  test('keeps the last build for readers when publishing fails', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    let open = await publishAndReopen(warehouse, dataDir, { run: 'r1', now: NOW });
    const before = realpathSync(publishedFile(dataDir));
    await open.db.run('DROP TABLE marts.company_years');
    await expect(publishAndReopen(open, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 1000) })).rejects.toThrow(
      /no table marts\.company_years/,
    );
    open = await openWarehouse(new Data(dataDir));
    expect(realpathSync(publishedFile(dataDir))).toBe(before);
    expect(readdirSync(path.join(dataDir, 'published', 'builds'))).toHaveLength(1);
    // The next publication succeeds.
    await buildModels(open);
    await (await publishAndReopen(open, dataDir, { run: 'r3', now: new Date(NOW.getTime() + 2000) })).close();
    expect(realpathSync(publishedFile(dataDir))).toContain('r3');
  });

  test('ignores a build without its lake or file', async () => {
    const built = await builtWarehouse();
    const { dataDir } = built;
    let { warehouse } = built;
    const again = async (n: number) => {
      const now = new Date(NOW.getTime() + n * 60_000);
      warehouse = await publishAndReopen(warehouse, dataDir, { run: `r${n}`, now, graceSeconds: 0, keep: 2 });
    };
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
