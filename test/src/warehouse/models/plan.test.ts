import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { ModelFailedError } from '../../../../src/warehouse/duckdb/errors.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { warehouseFile } from '../../../../src/store/data-folder.js';
import { orderModels, parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { planModels, type ModelChange } from '../../../../src/warehouse/models/plan.js';
import { readApplied, readPlan } from '../../../../src/warehouse/models/read-plan.js';
import { openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

interface Written {
  name?: string;
  version?: number;
  grain?: string;
  key?: string;
  columns?: string;
  sql?: string;
  audits?: string;
  nullable?: string;
  until?: string;
}

const ID = 'id: BIGINT | Id';
const LABELLED = `${ID}\n  label: VARCHAR | Label`;
const ONE = `SELECT CAST(1 AS BIGINT) AS id, 'a' AS label`;

const DAY = '2026-11-20';

/** A model file; its fingerprint depends on its text and its parents. */
function write(written: Written = {}, parents: Model[] = []): Model {
  const { name = 'thing', version = 1, grain = 'thing', key = 'id', columns = LABELLED, sql = ONE, until } = written;
  const text = `/*
model: core.${name}
kind: table
version: ${version}
${until === undefined ? '' : `deprecation_date: ${until}\n`}grain: ${grain}
key: [${key}]
nullable: [${written.nullable ?? ''}]
description: Things.
columns:
  ${columns}
audits: ${written.audits ?? '[]'}
*/
${sql}
`;
  const model = parseModel({ name: `core/${name}.sql`, text });
  const built = [version, columns, sql, key, ...parents.map(({ fingerprint }) => fingerprint)];
  return { ...model, parents: parents.map((parent) => parent.model), fingerprint: built.join('|') };
}

const child = (parent: Model) => write({ name: 'child', columns: ID, sql: 'SELECT id FROM core.thing' }, [parent]);

/** Plans a change of models for a warehouse built with the earlier ones. */
async function planBetween(before: Model[], after: Model[]): Promise<Map<string, ModelChange>> {
  const { db } = await openBuilt(before);
  const changes = planModels(orderModels(after), await readApplied(db, 'base.models'), { day: DAY });
  return new Map(changes.map((change) => [change.model, change]));
}

async function openBuilt(models: Model[]): Promise<Warehouse> {
  const warehouse = await openTestWarehouse(temporaryDataDir());
  await buildModels(warehouse, { models: orderModels(models) });
  return warehouse;
}

describe('a plan of models', () => {
  test('plans no change for the models that a warehouse was built with', async () => {
    const { db } = await openBuilt(await readModels());
    const changes = planModels(await readModels(), await readApplied(db, 'base.models'), { day: DAY });
    expect(changes).toHaveLength((await readModels()).length);
    expect(changes.filter(({ change, rebuild }) => change !== 'unchanged' || rebuild)).toEqual([]);
  });

  test('distinguishes added, removed and unchanged models', async () => {
    const thing = write();
    const plan = await planBetween([thing, write({ name: 'gone' })], [thing, write({ name: 'new' })]);
    expect(
      [...plan.values()].map(({ model, change, breaking, rebuild }) => ({ model, change, breaking, rebuild })),
    ).toEqual([
      { model: 'core.new', change: 'added', breaking: [], rebuild: true },
      { model: 'core.thing', change: 'unchanged', breaking: [], rebuild: false },
      { model: 'core.gone', change: 'removed', breaking: ['the table is no longer published'], rebuild: false },
    ]);
  });

  test('distinguishes edited models from dependent ones and keeps both texts', async () => {
    const before = write();
    const after = write({ sql: ONE.replace("'a'", "'b'") });
    const plan = await planBetween([before, child(before)], [after, child(after)]);
    expect(plan.get('core.thing')).toMatchObject({
      change: 'directly modified',
      breaking: [],
      because: [],
      before: before.text,
      after: after.text,
    });
    expect(plan.get('core.child')).toMatchObject({
      change: 'indirectly modified',
      rebuild: true,
      breaking: [],
      because: ['core.thing'],
      refused: [],
    });
  });

  test('marks every model as indirectly modified by a changed macro or seed', async () => {
    const thing = write();
    const plan = await planBetween([thing], [{ ...thing, fingerprint: 'with another macro' }]);
    expect(plan.get('core.thing')).toMatchObject({ change: 'indirectly modified', because: ['macros or seeds'] });
  });

  test('builds nothing for an edit that changes no row', async () => {
    const plan = await planBetween([write()], [write({ audits: '[{name: few, severity: warn, sql: SELECT 1}]' })]);
    expect(plan.get('core.thing')).toMatchObject({ change: 'directly modified', rebuild: false, breaking: [] });
  });

  const EFFECTS: [what: string, after: Written, breaking: string[], nonBreaking: string[]][] = [
    ['a removed column', { columns: ID, sql: 'SELECT CAST(1 AS BIGINT) AS id' }, ['column label is removed'], []],
    [
      'another type',
      { columns: LABELLED.replace('BIGINT', 'INTEGER'), sql: ONE.replace('BIGINT', 'INTEGER') },
      ['column id was BIGINT and is now INTEGER'],
      [],
    ],
    ['another key', { key: 'id, label' }, ['the key was id and is now id, label'], []],
    [
      'a key that may be NULL',
      { nullable: 'id', sql: `${ONE};\n` },
      ['column id of the key was never NULL and may now be NULL'],
      [],
    ],
    ['another grain', { grain: 'part' }, ['the grain was one row per thing and is now one row per part'], []],
    [
      'an added column',
      { columns: `${LABELLED}\n  at: TIMESTAMPTZ | When`, sql: `${ONE}, CAST(NULL AS TIMESTAMPTZ) AS at` },
      [],
      ['column at TIMESTAMP WITH TIME ZONE is added'],
    ],
  ];

  test.each(EFFECTS)(
    'classifies a change of a model as breaking or not: %s',
    async (_, after, breaking, nonBreaking) => {
      const plan = await planBetween([write()], [write(after)]);
      expect(plan.get('core.thing')).toMatchObject({
        change: 'directly modified',
        breaking,
        nonBreaking,
        refused: breaking,
      });
    },
  );

  test('allows breaking changes in a new version', async () => {
    const after = write({ version: 2, columns: ID, sql: 'SELECT CAST(1 AS BIGINT) AS id' });
    const plan = await planBetween([write()], [after]);
    expect(plan.get('core.thing')).toMatchObject({
      breaking: ['column label is removed'],
      refused: [],
      appliedVersion: 1,
      version: 2,
    });
  });

  test('compares columns of a warehouse without stored definitions', async () => {
    const { db } = await openBuilt([write()]);
    await db.run('UPDATE base.models SET definition = NULL');
    const after = write({ key: 'label', columns: LABELLED.split('\n')[1] ?? '', sql: `SELECT 'a' AS label` });
    expect(planModels([after], await readApplied(db, 'base.models'), { day: DAY })).toMatchObject([
      { change: 'directly modified', before: null, refused: ['column id is removed'] },
    ]);
  });

  test('rebuilds only a table that was altered by hand', async () => {
    const thing = write();
    const warehouse = await openBuilt([thing, child(thing)]);
    await warehouse.db.run('ALTER TABLE core.thing ADD COLUMN scribble VARCHAR');
    const plan = planModels(orderModels([thing, child(thing)]), await readApplied(warehouse.db, 'base.models'), {
      day: DAY,
    });
    expect(plan).toMatchObject([
      { model: 'core.thing', change: 'altered', rebuild: true, refused: [] },
      { model: 'core.child', change: 'unchanged', rebuild: false },
    ]);
  });
});

describe('building models in a run', () => {
  test('refuses a breaking change before building, unless its version is new', async () => {
    const warehouse = await openBuilt([write()]);
    const broken = { columns: ID, sql: 'SELECT CAST(7 AS BIGINT) AS id' };
    const error: unknown = await buildModels(warehouse, { models: [write(broken)] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelFailedError);
    expect(error).toMatchObject({
      message: 'core.thing breaks readers of version 1: column label is removed.',
      todo: expect.stringContaining('Raise `version` in the header of sql/core/thing.sql'),
    });
    expect(await warehouse.db.rows('FROM core.thing')).toEqual([{ id: '1', label: 'a' }]);

    await buildModels(warehouse, { models: [write({ ...broken, version: 2 })] });
    expect(await warehouse.db.rows('FROM core.thing')).toEqual([{ id: '7' }]);
    expect(await warehouse.db.rows('SELECT version, state FROM base.models ORDER BY version')).toEqual([
      { version: 1, state: 'retired' },
      { version: 2, state: 'current' },
    ]);
  });

  test('removes a table only after its announced day or when dropped', async () => {
    const thing = write();
    const warehouse = await openBuilt([thing, write({ name: 'gone' })]);
    const leave = (models: Model[], now: string): Promise<unknown> =>
      buildModels(warehouse, { models, now: new Date(now) });
    await expect(buildModels(warehouse, { models: [thing] })).rejects.toMatchObject({
      message: 'core.gone breaks readers of version 1: the file of the table is missing.',
      todo: expect.stringMatching(/Restore sql\/core\/gone\.sql \(.*\)\..*`deprecation_date`.*--drop core\.gone\n/),
    });
    await leave([thing, write({ name: 'gone', until: '2026-11-30' })], '2026-11-20T02:00:00Z');
    await expect(leave([thing], '2026-11-30T02:00:00Z')).rejects.toThrow('the table is served until 2026-11-30');
    await leave([thing], '2026-12-01T02:00:00Z');
    expect(await warehouse.db.rows(`SELECT state FROM base.models WHERE model = 'core.gone'`)).toEqual([
      { state: 'retired' },
    ]);
    await expect(warehouse.db.rows('FROM core.gone')).rejects.toThrow('does not exist');
  });

  test('retires a model after its date although its file exists', async () => {
    const thing = write();
    const warehouse = await openBuilt([thing, write({ name: 'gone', until: '2999-01-01' })]);
    const { notes } = await buildModels(warehouse, {
      models: [thing, write({ name: 'gone', until: '2999-01-01' })],
      now: new Date('2999-01-02T02:00:00Z'),
    });
    expect(notes).toEqual(['core.gone is retired: version 1 of core.gone was served until 2999-01-01.']);
  });

  test('returns to an applied version, but not to other content under its number', async () => {
    const first = write();
    const second = write({ version: 2, columns: ID, sql: 'SELECT CAST(1 AS BIGINT) AS id' });
    const warehouse = await openBuilt([first]);
    await buildModels(warehouse, { models: [second] });
    await expect(
      buildModels(warehouse, {
        models: [write({ columns: 'label: VARCHAR | Label', key: 'label', sql: `SELECT 'a' AS label` })],
      }),
    ).rejects.toThrow('breaks readers of version 1: column id is removed; the key was id and is now label');
    await buildModels(warehouse, { models: [first] });
    expect(await warehouse.db.rows('FROM core.thing')).toEqual([{ id: '1', label: 'a' }]);
    await buildModels(warehouse, { models: [{ ...second, version: 4 }] });
    await expect(buildModels(warehouse, { models: [{ ...first, version: 3 }] })).rejects.toThrow(
      'this version was never applied and is older than the applied version 4',
    );
  });

  test('builds a query with a semicolon, and a nullable key of NULLs', async () => {
    const warehouse = await openBuilt([
      write({ nullable: 'id', sql: `SELECT CAST(NULL AS BIGINT) AS id, 'a' AS label;\n\n` }),
    ]);
    expect(await warehouse.db.rows('FROM core.thing')).toEqual([{ id: null, label: 'a' }]);
  });

  test('names the file of a model whose query fails', async () => {
    const warehouse = await openBuilt([write()]);
    const error: unknown = await buildModels(warehouse, {
      models: [write({ sql: `SELECT CAST('x' AS BIGINT) AS id, 'a' AS label` })],
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelFailedError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^Model core\.thing \(sql\/core\/thing\.sql\): Conversion Error: .*'x'/),
      todo: 'Correct that file. The tables were not changed.',
      cause: expect.any(Error),
    });
    expect(await warehouse.db.rows('FROM core.thing')).toEqual([{ id: '1', label: 'a' }]);
  });

  test('names columns that differ from the header, or their order', async () => {
    const build = async (sql: string): Promise<unknown> => openBuilt([write({ sql })]);
    const message = (difference: string) => ({
      message: `Model core.thing (sql/core/thing.sql) does not return the columns that its header promises: ${difference}.`,
      todo: 'Change the query or the header; a breaking change needs a new version.',
    });
    await expect(build(`SELECT 'a' AS label, 1::BIGINT AS id`)).rejects.toMatchObject(message('their order differs'));
    await expect(build(`SELECT 1::BIGINT AS id`)).rejects.toMatchObject(
      message('missing label VARCHAR; not in the header none'),
    );
    await expect(build(`${ONE}, 2 AS more, 3 AS most`)).rejects.toMatchObject(
      message('missing none; not in the header more INTEGER, most INTEGER'),
    );
    await expect(build(`SELECT 1 AS id, 2 AS label`)).rejects.toMatchObject(
      message('missing id BIGINT, label VARCHAR; not in the header id INTEGER, label INTEGER'),
    );
  });

  test('repairs an incremental table altered or dropped by hand', async () => {
    const warehouse = await openBuilt(await readModels());
    await warehouse.db.run('ALTER TABLE core.companies_history ADD COLUMN scribble VARCHAR');
    await warehouse.db.run('DROP TABLE base.report_years');
    await buildModels(warehouse);
    const changes = planModels(await readModels(), await readApplied(warehouse.db, 'base.models'), { day: DAY });
    expect(changes.filter(({ change }) => change !== 'unchanged')).toEqual([]);
  });
});

describe('readPlan', () => {
  test('plans every model as added without a warehouse', async () => {
    const plan = await readPlan(temporaryDataDir(), { models: [write()] });
    expect(plan).toMatchObject({ comparedWith: 'none', file: null, changes: [{ change: 'added', rows: null }] });
  });

  test('counts rows of each table without changing the file', async () => {
    const dataDir = temporaryDataDir();
    await leaveBuilt([write()], dataDir);
    const before = readFileSync(warehouseFile(dataDir));
    const plan = await readPlan(dataDir, { models: [write({ sql: ONE.replace("'a'", "'b'") })] });
    expect(plan).toMatchObject({ comparedWith: 'warehouse', changes: [{ change: 'directly modified', rows: 1 }] });
    expect(readFileSync(warehouseFile(dataDir)).equals(before)).toBe(true);
  });

  test('names no restored set without a rollback', async () => {
    const dataDir = temporaryDataDir();
    await leaveBuilt([write()], dataDir);
    expect(await readPlan(dataDir, { models: [write()] })).toMatchObject({
      comparedWith: 'warehouse',
      file: warehouseFile(dataDir),
      held: null,
      changes: [{ change: 'unchanged', rows: 1 }],
    });
  });

  test('names the set that a rollback restored', async () => {
    const dataDir = temporaryDataDir();
    const now = new Date('2026-11-20T02:00:00Z');
    await leaveBuilt([write()], dataDir, async (warehouse) => {
      const set = { models: [write()], shared: [], own: [] };
      await buildModels(warehouse, { set, origin: 'rollback', ofSet: 1, now });
    });
    const { held } = await readPlan(dataDir, { models: [write()] });
    expect(held).toEqual({ set: 1, since: '2026-11-20T02:00:00Z' });
  });

  test('reads the applied models from the published file', async () => {
    const dataDir = temporaryDataDir();
    await leaveBuilt(await readModels(), dataDir, async (warehouse) => {
      await publish(warehouse, dataDir, { run: 'r', now: new Date() });
    });
    rmSync(warehouseFile(dataDir));
    const plan = await readPlan(dataDir);
    expect(plan.comparedWith).toBe('published');
    expect(plan.changes).toHaveLength((await readModels()).length);
    expect(plan.changes.filter(({ change }) => change !== 'unchanged')).toEqual([]);
    expect(plan.changes.every(({ before, after }) => before !== null && before === after)).toBe(true);
  });
});

/** Builds and closes, as a run does. */
async function leaveBuilt(
  models: Model[],
  dataDir: string,
  work: (warehouse: Warehouse) => Promise<void> = async () => undefined,
): Promise<void> {
  const warehouse = await openWarehouse(new Data(dataDir));
  await buildModels(warehouse, { models: orderModels(models) });
  await work(warehouse);
  await warehouse.close();
}
