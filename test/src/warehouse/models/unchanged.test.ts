import * as fc from 'fast-check';
import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { readShared } from '../../../../src/warehouse/duckdb/sql-files.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { assembleModels, readModelSet, type ModelSet } from '../../../../src/warehouse/models/models.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { countStatements } from '../../../helpers/count-statements.js';
import { answer, nights } from '../../../helpers/random-answers.js';
import { buildFrom, land, openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-25T04:00:00Z');

describe('a build of the models', () => {
  test('builds and checks nothing while nothing changed', async () => {
    const { db, ...warehouse } = await buildFrom([
      ...nights,
      { stream: 'companies', entity: '1', body: { id: 1, name: 'A' } },
    ]);
    const before = await readState(db);
    const statements = await countStatements(db, () =>
      buildModels({ ...warehouse, db }, { personalData: true, now: NOW }),
    );
    expect(await readState(db)).toEqual(before);
    expect(statements).toBeLessThan(40);
  });

  test('builds only tables that read a changed table, and their readers', async () => {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    await buildModels(warehouse);
    await land(dataDir, [{ stream: 'nomenclatures', entity: 'v1', body: { regions: [{ id: 1, name: 'R' }] } }]);
    await loadLanding(warehouse, new Data(dataDir));
    const before = await readState(warehouse.db);
    await buildModels(warehouse);
    const built = await readBuilt(warehouse.db, before);
    expect(built).toContain('core.nomenclatures');
    expect(built).toContain('core.nomenclatures_history');
    expect(built.filter((name) => /matches|owners|core.financials|indicators|executives/.test(name))).toEqual([]);
  });

  test('keeps a table that gets the same rows again, and builds none of its readers', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await warehouse.db.run('CREATE TABLE ledger.more (id BIGINT)');
    const odd = 'SELECT DISTINCT id % 2 AS id FROM ledger.more';
    const set = await withModels(thing('core.odd', odd), thing('core.reader', 'SELECT id FROM core.odd'));
    for (const [ids, changed] of [
      ['(1)', ['core.odd', 'core.reader']],
      ['(3), (5)', []],
      ['(2), (4)', ['core.odd', 'core.reader']],
    ] as const) {
      await warehouse.db.run(`INSERT INTO ledger.more VALUES ${ids}`);
      const before = await readState(warehouse.db);
      await buildModels(warehouse, { set });
      expect(await readBuilt(warehouse.db, before)).toEqual(changed);
    }
    expect(await warehouse.db.rows('SELECT id FROM core.reader ORDER BY id')).toEqual([{ id: '0' }, { id: '1' }]);
  });

  test.each([
    ['list', '[]', 'CAST(NULL AS BIGINT[])', 'BIGINT[]'],
    ['text', "'NULL'", 'CAST(NULL AS VARCHAR)', 'VARCHAR'],
    ['nested list', '[[1], [2]]', '[[1, 2]]', 'BIGINT[][]'],
    ['number', '0.0', '-0.0', 'DOUBLE'],
  ])('replaces a row whose %s changes to nearly the same value', async (_, before, after, type) => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await warehouse.db.run('CREATE TABLE ledger.more (is_after BOOLEAN)');
    const sql = `SELECT 1::BIGINT AS id, CAST(CASE WHEN (SELECT bool_or(is_after) FROM ledger.more) THEN ${after} ELSE ${before} END AS ${type}) AS r`;
    const set = await withModels(thing('core.nearly', sql, `  r: ${type} | Value\n`));
    await warehouse.db.run('INSERT INTO ledger.more VALUES (false)');
    await buildModels(warehouse, { set });
    await warehouse.db.run('INSERT INTO ledger.more VALUES (true)');
    await buildModels(warehouse, { set });
    const shown = `CAST(CAST(${after} AS ${type}) AS VARCHAR)`;
    expect(await warehouse.db.rows(`SELECT CAST(r AS VARCHAR) AS r, ${shown} AS wanted FROM core.nearly`)).toSatisfy(
      ([row]: { r: string | null; wanted: string | null }[]) => row?.r === row?.wanted,
    );
  });

  test('builds tables again when personalData changes', async () => {
    const warehouse = await buildFrom([], false);
    const before = await readState(warehouse.db);
    await buildModels(warehouse, { personalData: true });
    expect(await readBuilt(warehouse.db, before)).toContain('core.owners_history');
  });

  test('always builds a table that reads the time, and its readers', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const set = await withModels(
      thing('core.day', 'SELECT epoch_us(now()) AS id'),
      thing('core.reader', 'SELECT id FROM core.day'),
    );
    await buildModels(warehouse, { set });
    const before = await readState(warehouse.db);
    await buildModels(warehouse, { set });
    expect(await readBuilt(warehouse.db, before)).toEqual(['core.day', 'core.reader']);
  });

  test('keeps the result of a failed audit until the table changes', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const audit = 'audits: [{name: none, severity: warn, sql: FROM core.day}]\n';
    const set = await withModels(thing('core.day', 'SELECT CAST(1 AS BIGINT) AS id', audit));
    for (const at of ['2026-11-20T04:00:00Z', '2026-11-21T04:00:00Z']) {
      const { failedAudits } = await buildModels(warehouse, { set, now: new Date(at) });
      expect(failedAudits).toEqual(['core.day.none (1)']);
    }
    const [row] = await warehouse.db.rows(`SELECT CAST("at" AS VARCHAR) AS at FROM ops.checks WHERE "check" = 'none'`);
    expect(row).toEqual({ at: '2026-11-20 04:00:00+00' });
  });

  test('runs an audit again that was added, or that reads another table that changed', async () => {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const audit = 'audits: [{name: no_lists, severity: warn, sql: FROM core.nomenclatures}]\n';
    await buildModels(warehouse, { set: await withModels(thing('core.zone', 'SELECT CAST(1 AS BIGINT) AS id')) });
    const set = await withModels(thing('core.zone', 'SELECT CAST(1 AS BIGINT) AS id', audit));
    expect((await buildModels(warehouse, { set })).failedAudits).toEqual([]);
    await land(dataDir, [{ stream: 'nomenclatures', entity: 'v1', body: { regions: [{ id: 1, name: 'R' }] } }]);
    await loadLanding(warehouse, new Data(dataDir));
    expect((await buildModels(warehouse, { set })).failedAudits).toEqual(['core.zone.no_lists (1)']);
  });

  test('runs the audits of a failed build again, even if the models are restored', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const [good, bad] = [[1], [1, 1]].map((ids) =>
      thing('core.day', `SELECT CAST(unnest(${JSON.stringify(ids)}) AS BIGINT) AS id`),
    );
    await buildModels(warehouse, { set: await withModels(good!) });
    await expect(buildModels(warehouse, { set: await withModels(bad!) })).rejects.toThrow(/key_is_unique/);
    await buildModels(warehouse, { set: await withModels(good!) });
    expect(await warehouse.db.count('SELECT count(*) FROM ops.checks WHERE failing_rows > 0')).toBe(0);
  });
});

describe('skipped models', () => {
  test('have the rows of a whole build after any loads, kills, edits and rollbacks', { timeout: 300_000 }, async () => {
    const sets = await editedSets();
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.array(answer, { minLength: 1, maxLength: 6 }).map((load) => ({ load })) },
      { weight: 1, arbitrary: fc.constant({ night: true }) },
      { weight: 1, arbitrary: fc.constant({ reopen: true }) },
      { weight: 1, arbitrary: fc.constant({ killed: true }) },
      { weight: 2, arbitrary: fc.record({ set: fc.nat(sets.length - 1), personalData: fc.boolean() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 9 }), async (steps) => {
        const dataDir = temporaryDataDir();
        let warehouse = await openWarehouse(new Data(dataDir));
        try {
          let waiting = nights;
          let choice = { set: sets[0]!, personalData: false };
          const build = () => buildModels(warehouse, { ...choice, origin: 'rollback', now: NOW });
          await build();
          for (const one of steps) {
            if ('load' in one) await land(dataDir, one.load.flat());
            if ('night' in one) {
              await land(dataDir, waiting.slice(0, 3));
              waiting = waiting.slice(3);
            }
            if ('reopen' in one) {
              await warehouse.close();
              warehouse = await openWarehouse(new Data(dataDir));
            }
            if ('set' in one) choice = { set: sets[one.set]!, personalData: one.personalData };
            await loadLanding(warehouse, new Data(dataDir));
            if ('killed' in one) await killWhileBuilding(warehouse, choice.set);
            // A run that is killed between load and build leaves the build to the next run.
            if (!('reopen' in one)) await build();
          }
          await build();
          const tables = await readTables(warehouse.db, choice.set);
          await warehouse.close();
          expect(tables).toEqual(await wholeBuild(warehouse.db.file, choice));
          warehouse = await openWarehouse(new Data(dataDir));
        } finally {
          await warehouse.close();
          rmSync(dataDir, { recursive: true, force: true });
        }
      }),
      { numRuns: Number(process.env['UNCHANGED_RUNS'] ?? 1), endOnFailure: true },
    );
  });
});

/** Sets of models: the shipped one, and sets with a changed table, a changed history and a view between tables. */
async function editedSets(): Promise<ModelSet[]> {
  const shipped = await readModelSet();
  const edited = (name: string, from: string | RegExp, to: string): ModelSet['models'] =>
    shipped.models
      .filter(({ model }) => model === name)
      .map((model) => ({ ...model, text: model.text.replace(from, to) }));
  const files = [
    edited('core.indicators', 'count(DISTINCT company_id) AS companies', '1 + count(DISTINCT company_id) AS companies'),
    edited('core.companies_history', 'r.* EXCLUDE', '/* edited */ r.* EXCLUDE'),
  ];
  const between = await withModels(
    thing('core.above', 'SELECT company_id AS id FROM core.companies WHERE name IS NOT NULL').replace(
      'kind: table',
      'kind: view',
    ),
    thing('core.day', 'SELECT id + 1 AS id FROM core.above'),
  );
  return [
    shipped,
    ...(await Promise.all(files.map((changed) => withModels(...changed.map(({ text }) => text))))),
    between,
  ];
}

/** The shipped models with some other files. A file replaces the shipped one of the same model. */
async function withModels(...texts: string[]): Promise<ModelSet> {
  const { models } = await readModelSet();
  const files = new Map(models.map(({ file, text }) => [file, text]));
  for (const text of texts) files.set(`${/model: (\S+)/.exec(text)?.[1]?.replace('.', '/')}.sql`, text);
  return assembleModels(
    [...files].map(([name, text]) => ({ name, text })),
    readShared(),
  );
}

function thing(name: string, sql: string, more = ''): string {
  return `/*\nmodel: ${name}\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n${more}*/\n${sql}\n`;
}

/** A build that ends in the middle: a model in the middle of the order cannot be built. */
async function killWhileBuilding(warehouse: Warehouse, set: ModelSet): Promise<void> {
  const models = set.models.map((model) =>
    model.model === 'ops.nights' ? { ...model, sql: "SELECT error('killed')", fingerprint: 'killed' } : model,
  );
  await expect(buildModels(warehouse, { set: { ...set, models }, now: NOW })).rejects.toThrow(/ops.nights.*killed/s);
}

/** The tables after a whole build of all models from the same ledger, in a copy of the file. */
async function wholeBuild(
  file: string,
  choice: { set: ModelSet; personalData: boolean },
): Promise<Record<string, unknown[]>> {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const warehouse = await openWarehouse(new Data(''), { file: copy });
  try {
    await warehouse.db.run('DELETE FROM ledger.model_inputs');
    await buildModels(warehouse, { ...choice, origin: 'rollback', now: NOW });
    return await readTables(warehouse.db, choice.set);
  } finally {
    await warehouse.close();
  }
}

async function readTables(db: Database, { models }: ModelSet): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { model } of models)
    if (!['ops.checks', 'meta.models', 'meta.model_changes'].includes(model))
      tables[model] = await db.rows(`SELECT * FROM ${model} ORDER BY ALL`);
  return tables;
}

/** What a build writes. */
async function readState(db: Database): Promise<Record<string, unknown[]>> {
  const state: Record<string, unknown[]> = {};
  for (const table of ['ledger.table_changes', 'ledger.model_inputs', 'base.checks', 'base.models', 'base.model_sets'])
    state[table] = await db.rows(`FROM ${table} ORDER BY ALL`);
  return state;
}

/** Models that were built since `before`. */
async function readBuilt(db: Database, before: Record<string, unknown[]>): Promise<string[]> {
  const old = new Set((before['ledger.table_changes'] ?? []).map((row) => JSON.stringify(row)));
  const rows = await db.rows<{ table_name: string }>(
    `FROM ledger.table_changes WHERE table_name NOT LIKE 'base.%' ORDER BY ALL`,
  );
  return rows.filter((row) => !old.has(JSON.stringify(row))).map((row) => row.table_name);
}
