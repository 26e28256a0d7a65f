import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { showBuild } from '../../../../src/warehouse/builds/switch.js';
import { publishedFile, warehouseFile } from '../../../../src/store/data-folder.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import type { ComparisonPolicy } from '../../../../src/warehouse/publish/comparison.js';
import { publish, type PublishedBuild } from '../../../../src/warehouse/publish/publish.js';
import { findDifferences } from '../../../helpers/compare-published.js';
import {
  land,
  marketNight,
  openTestWarehouse,
  prepareBuilt,
  prepareOnce,
  type Answer,
} from '../../../helpers/warehouse.js';

const NOW = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;

const report = (company: number, turnover: number, day: number): Answer => ({
  stream: 'financials',
  entity: String(company),
  at: new Date(NOW + day * DAY_MS).toISOString(),
  body: { 2024: { Turnover: turnover, Currency: 'EUR' }, 2023: { Turnover: 7 } },
});

const build = async (warehouse: Warehouse, dataDir: string): Promise<void> => {
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse);
};

const next = (
  warehouse: Warehouse,
  dataDir: string,
  night: number,
  policy: ComparisonPolicy = {},
): Promise<PublishedBuild> =>
  publish(warehouse, dataDir, { run: `r${night}`, now: new Date(NOW + night * DAY_MS), graceSeconds: 0, ...policy });

// Publishes as if every table was large.
const LARGE: ComparisonPolicy = { smallTableRows: 0 };

let first: PublishedBuild;

const copyFirstNight = prepareOnce(async (dataDir) => {
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  await prepareBuilt(dataDir, [
    ...marketNight({ run: 'r0', date: '2026-11-20', ids }),
    ...ids.map((id) => report(id, id * 100, -1)),
  ]);
  const warehouse = await openWarehouse(dataDir);
  try {
    first = await next(warehouse, dataDir, 0);
  } finally {
    await warehouse.close();
  }
});

/** A data folder with one published night: companies 1 to 9, each with a report. */
async function firstNight(
  open: (dataDir: string) => Promise<Warehouse> = openTestWarehouse,
): Promise<{ dataDir: string; warehouse: Warehouse }> {
  const dataDir = copyFirstNight();
  return { dataDir, warehouse: await open(dataDir) };
}

const keys = ({ db }: Warehouse): Promise<number> => db.count('SELECT count(*) FROM ledger.changed_keys');

describe('an incremental publication', () => {
  test('writes only rows that differ, and says so in the receipt', async () => {
    const { dataDir, warehouse } = await firstNight();
    expect(first).toMatchObject({
      method: 'full',
      reason: 'All rows were written: this machine has published no earlier build.',
    });
    await land(dataDir, [report(1, 100.5, 1), report(2, 200, 1)]);
    await build(warehouse, dataDir);
    const second = await next(warehouse, dataDir, 1);
    expect(second).toMatchObject({ method: 'incremental', tables: first.tables });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
    // Company 2 was read again without a change: its rows show the new time. Company 3 was not read.
    expect(
      await queryPublished(
        dataDir,
        `SELECT company_id, value_double, CAST(observed_at AS DATE) FROM core.financials
         WHERE indicator = 'Turnover' AND fiscal_year = 2024 AND company_id <= 3 ORDER BY 1`,
      ),
    ).toEqual([
      [1, 100.5, '2026-11-21'],
      [2, 200, '2026-11-21'],
      [3, 300, '2026-11-19'],
    ]);
    const receipt = 'SELECT run, method, base, changed_rows = $1, reason FROM meta.receipt'.replace(
      '$1',
      String(second.changedRows),
    );
    const base = '20261120T040000000Z-r0';
    expect(await queryPublished(dataDir, receipt)).toEqual([
      [
        'r1',
        'incremental',
        base,
        true,
        expect.stringContaining(`Build ${base} was copied; ${second.changedRows} rows`),
      ],
    ]);
  });

  test('changes no row if nothing changed, and names the new run', async () => {
    const { dataDir, warehouse } = await firstNight();
    expect(await next(warehouse, dataDir, 1)).toMatchObject({ method: 'incremental', changedRows: 0 });
    expect(await queryPublished(dataDir, 'SELECT run, changed_rows FROM meta.receipt')).toEqual([['r1', 0]]);
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test('contains every build since the copied one, whatever build readers see', async () => {
    const { dataDir, warehouse } = await firstNight();
    // Two nights that are held back, then a published one.
    for (const night of [1, 2, 3]) {
      await land(dataDir, [report(night, 1_000 + night, night)]);
      await build(warehouse, dataDir);
    }
    expect(await keys(warehouse)).toBeGreaterThan(0);
    expect(await next(warehouse, dataDir, 3)).toMatchObject({ method: 'incremental' });
    expect(await keys(warehouse)).toBe(0);
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
    await showBuild(dataDir, 'PREVIOUS');
    await land(dataDir, [report(4, 1_004, 4)]);
    await build(warehouse, dataDir);
    expect(await next(warehouse, dataDir, 4)).toMatchObject({ method: 'incremental' });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test.each([
    ['copying', /^ATTACH/],
    ['inserting', /^INSERT INTO build\.core\.financials /],
    ['the checkpoint', /^CHECKPOINT build/],
    ['the cleanup of the ledger', /^DELETE FROM ledger\.changed_keys/],
  ])('loses no change if the disk is full during %s', async (_, step) => {
    const { dataDir, warehouse } = await firstNight();
    await land(dataDir, [report(1, 111, 1)]);
    await build(warehouse, dataDir);
    const { db } = warehouse;
    const run = db.run.bind(db);
    const full = vi.spyOn(db, 'run').mockImplementation(async (sql, ...rest) => {
      if (step.test(sql)) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return run(sql, ...rest);
    });
    await expect(next(warehouse, dataDir, 1)).rejects.toThrow(/ENOSPC|disk|space/i);
    full.mockRestore();
    await land(dataDir, [report(2, 222, 2)]);
    await build(warehouse, dataDir);
    expect(await next(warehouse, dataDir, 2)).toMatchObject({ method: 'incremental' });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });
});

describe('an incremental publication of large tables', () => {
  const turnoverOf = async (dataDir: string, company: number): Promise<unknown> =>
    (
      await queryPublished(
        dataDir,
        `SELECT value_double FROM core.financials WHERE company_id = ${company} AND fiscal_year = 2024 AND indicator = 'Turnover'`,
      )
    )[0]?.[0];
  const comparedAt = 'SELECT CAST(compared_at AS DATE) FROM meta.receipt';

  test('compares only changed rows, and all rows after 7 days', async () => {
    const { dataDir, warehouse } = await firstNight();
    // No record names this change: only a comparison of all rows finds it.
    await warehouse.db.run('UPDATE core.financials SET value_double = 5 WHERE company_id = 5');
    await land(dataDir, [report(1, 111, 1)]);
    await build(warehouse, dataDir);
    expect(await next(warehouse, dataDir, 6, LARGE)).toMatchObject({ method: 'incremental' });
    expect([await turnoverOf(dataDir, 1), await turnoverOf(dataDir, 5)]).toEqual([111, 500]);
    expect(await queryPublished(dataDir, comparedAt)).toEqual([['2026-11-20']]);
    expect(await next(warehouse, dataDir, 7, LARGE)).toMatchObject({
      method: 'full',
      reason: expect.stringMatching(/rows of core\.financials differ/),
    });
    expect(await queryPublished(dataDir, comparedAt)).toEqual([['2026-11-27']]);
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test('keeps the hash of each table equal to the hash of all its rows', async () => {
    const { dataDir, warehouse } = await firstNight();
    for (const night of [1, 2, 3]) {
      await land(dataDir, [report(night, 1_000 + night, night), report(20 + night, 7, night)]);
      await build(warehouse, dataDir);
      expect(await next(warehouse, dataDir, night, LARGE)).toMatchObject({ method: 'incremental' });
      expect(await findDifferences(warehouse, dataDir)).toEqual([]);
    }
    // Compares all rows with the hashes that the last nights computed.
    expect(await next(warehouse, dataDir, 8, LARGE)).toMatchObject({ method: 'incremental', changedRows: 0 });
    expect(await queryPublished(dataDir, comparedAt)).toEqual([['2026-11-28']]);
  });

  test.each([
    [
      'an inserted row differs in the new file',
      'UPDATE build.core.financials SET value_double = 1 WHERE company_id = 1',
      /inserted rows of core\.financials differ/,
    ],
    [
      'a row is missing in the new file',
      'DELETE FROM build.core.financials WHERE company_id = 5',
      /core\.financials has/,
    ],
  ])('writes all rows if %s', async (_, damage, reason) => {
    const { dataDir, warehouse } = await firstNight();
    await land(dataDir, [report(1, 111, 1)]);
    await build(warehouse, dataDir);
    const { db } = warehouse;
    const run = db.run.bind(db);
    let damaged = false;
    const spy = vi.spyOn(db, 'run').mockImplementation(async (sql, ...rest) => {
      if (!damaged && sql === 'CHECKPOINT build') {
        damaged = true;
        await run(damage);
      }
      return run(sql, ...rest);
    });
    expect(await next(warehouse, dataDir, 1, LARGE)).toMatchObject({
      method: 'full',
      reason: expect.stringMatching(reason),
    });
    spy.mockRestore();
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test('writes all rows if the warehouse lost a row that no record names', async () => {
    const { dataDir, warehouse } = await firstNight();
    await warehouse.db.run('DELETE FROM core.financials WHERE company_id = 5');
    await land(dataDir, [report(1, 111, 1)]);
    await build(warehouse, dataDir);
    expect(await next(warehouse, dataDir, 1, LARGE)).toMatchObject({
      method: 'full',
      reason: expect.stringMatching(/core\.financials has \d+ rows instead of \d+/),
    });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });
});

describe('a full publication', () => {
  test.each<[string, (warehouse: Warehouse, dataDir: string) => Promise<unknown>, RegExp]>([
    ['personalData changed', (warehouse) => buildModels(warehouse, { personalData: true }), /personalData changed/],
    [
      'the earlier build is of another warehouse',
      ({ db }) => db.run(`UPDATE ledger.model_builds SET build_id = 'other'`),
      /was not published from this warehouse/,
    ],
    [
      'a model was built whole',
      async (warehouse) => {
        await warehouse.db.run('ALTER TABLE core.financials DROP COLUMN progress');
        await buildModels(warehouse);
      },
      /models were rebuilt: core\.financials/,
    ],
    [
      'a comment changed',
      ({ db }) =>
        db.run(
          `UPDATE base.models SET definition = replace(definition, 'grain: company', 'grain: firm') WHERE model = 'core.companies'`,
        ),
      /tables, comments or functions changed/,
    ],
    [
      'the earlier file is no database',
      async (_, dataDir) => {
        const file = realpathSync(publishedFile(dataDir));
        rmSync(file);
        writeFileSync(file, 'torn');
      },
      /the receipt of .*-r0 cannot be read/,
    ],
    [
      'the earlier file lost rows',
      async ({ db }, dataDir) => {
        const file = realpathSync(publishedFile(dataDir));
        chmodSync(file, 0o600);
        await db.run(`ATTACH '${file}' AS torn`);
        await db.run('DELETE FROM torn.core.financials WHERE company_id = 5');
        await db.run('DETACH torn');
      },
      /a changed copy of .*-r0 failed.*core\.financials has/,
    ],
    [
      'a row was changed by hand',
      async (warehouse, dataDir) => {
        await warehouse.db.run('UPDATE core.financials SET value_double = 5 WHERE company_id = 5');
        await land(dataDir, [report(1, 111, 1)]);
        await build(warehouse, dataDir);
      },
      /a changed copy of .*-r0 failed.*rows of core\.financials differ/,
    ],
  ])('is made because %s', async (_, change, reason) => {
    const { dataDir, warehouse } = await firstNight();
    await change(warehouse, dataDir);
    const made = await next(warehouse, dataDir, 1);
    expect(made).toMatchObject({ method: 'full', reason: expect.stringMatching(reason), changedRows: null });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
    expect(await next(warehouse, dataDir, 2)).toMatchObject({ method: 'incremental', changedRows: 0 });
  });

  test('is made because blocks of the earlier file are damaged', async () => {
    const { dataDir, warehouse } = await firstNight();
    const file = realpathSync(publishedFile(dataDir));
    chmodSync(file, 0o600);
    const handle = openSync(file, 'r+');
    // Damage the file after its headers, so that it can still be opened.
    for (let at = 3 * 4_096 + 1_000; at < statSync(file).size; at += 4_096)
      writeSync(handle, Buffer.alloc(64, 1), 0, 64, at);
    closeSync(handle);
    await land(dataDir, [report(1, 111, 1)]);
    await build(warehouse, dataDir);
    expect(await next(warehouse, dataDir, 1)).toMatchObject({ method: 'full' });
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test('is made after an older copy of the warehouse was restored', async () => {
    const { dataDir, warehouse } = await firstNight(openWarehouse);
    await warehouse.close();
    const backup = path.join(dataDir, 'backup.duckdb');
    cpSync(warehouseFile(dataDir), backup);
    const night = async (n: number, turnover: number): Promise<PublishedBuild> => {
      const opened = await openWarehouse(dataDir);
      try {
        await land(dataDir, [report(1, turnover, n)]);
        await build(opened, dataDir);
        const published = await next(opened, dataDir, n);
        expect(await findDifferences(opened, dataDir)).toEqual([]);
        return published;
      } finally {
        await opened.close();
      }
    };
    expect(await night(1, 111)).toMatchObject({ method: 'incremental' });
    cpSync(backup, warehouseFile(dataDir));
    expect(await night(2, 112)).toMatchObject({
      method: 'full',
      reason: expect.stringMatching(/not published from this warehouse/),
    });
  });
});
