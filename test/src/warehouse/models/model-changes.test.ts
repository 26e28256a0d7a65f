import { describe, expect, test } from 'vitest';
import { parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { buildModels, type BuildOptions } from '../../../../src/warehouse/models/run-models.js';
import { openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

const model = (name: string, sql: string, { version = 1, more = '' } = {}): Model => ({
  ...parseModel({
    name: `core/${name}.sql`,
    text: `/*
model: core.${name}
kind: table
version: ${version}
grain: thing
key: [id]
description: Things.
columns:
  id: BIGINT | Id${more}
*/
${sql}`,
  }),
  parents: [],
  fingerprint: sql,
});

const FEW = model('few', 'SELECT range AS id FROM range(3)');
const MANY = model('many', 'SELECT range AS id FROM range(10)');

async function changesAfter(builds: BuildOptions[]): Promise<object[]> {
  const warehouse = await openTestWarehouse(temporaryDataDir());
  for (const [i, build] of builds.entries())
    await buildModels(warehouse, { now: new Date(Date.UTC(2026, 10, i + 1)), ...build });
  return warehouse.db.rows(
    `SELECT table_name AS t, previous_version AS was, version AS now, change, effects, CAST(rows_before AS INTEGER) AS before,
       CAST(rows_after AS INTEGER) AS after, origin, strftime(applied_at, '%d') AS day
     FROM base.model_changes ORDER BY change_id`,
  );
}

describe('meta.model_changes', () => {
  test('counts the rows before and after a change, and names the changed columns', async () => {
    const next = model('few', `SELECT range AS id, 'x' AS label FROM range(7)`, {
      version: 2,
      more: '\n  label: VARCHAR | Label',
    });
    const changes = await changesAfter([
      { models: [FEW, MANY] },
      { models: [FEW, MANY] },
      { models: [next, MANY], origin: 'apply' },
      { models: [next], origin: 'apply', dropped: new Set(['core.many']) },
    ]);
    const added = { was: null, now: 1, change: 'added', effects: [], before: null, origin: 'run', day: '01' };
    expect(changes).toEqual([
      { t: 'core.few', ...added, after: 3 },
      { t: 'core.many', ...added, after: 10 },
      {
        t: 'core.few',
        was: 1,
        now: 2,
        change: 'directly modified',
        effects: ['column label VARCHAR is added'],
        before: 3,
        after: 7,
        origin: 'apply',
        day: '03',
      },
      {
        t: 'core.many',
        was: 1,
        now: null,
        change: 'removed',
        effects: ['the table is no longer published'],
        before: 10,
        after: null,
        origin: 'apply',
        day: '04',
      },
    ]);
  });

  test('does not count a table that was altered by hand', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await buildModels(warehouse, { models: [FEW] });
    await warehouse.db.run('ALTER TABLE core.few ADD COLUMN more INTEGER');
    await buildModels(warehouse, { models: [FEW] });
    expect(await warehouse.db.count('SELECT count(*) FROM base.model_changes')).toBe(1);
  });

  test('records nothing if an audit fails', async () => {
    const twice = model('few', 'SELECT 1::BIGINT AS id FROM range(2)');
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await expect(buildModels(warehouse, { models: [twice] })).rejects.toThrow('key_is_unique');
    expect(await warehouse.db.count('SELECT count(*) FROM base.model_changes')).toBe(0);
  });
});
