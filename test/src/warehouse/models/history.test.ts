import { describe, expect, test } from 'vitest';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { readHistory } from '../../../../src/warehouse/models/history.js';
import { assembleModels, parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { buildModels, type BuildOptions } from '../../../../src/warehouse/models/run-models.js';
import { readShared } from '../../../../src/warehouse/duckdb/sql-files.js';
import { readSet } from '../../../../src/warehouse/models/sets.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

function write(name: string, sql = 'SELECT 1::BIGINT AS id', columns = 'id: BIGINT | Id'): Model {
  const text = `/*\nmodel: core.${name}\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  ${columns}\n*/\n${sql}\n`;
  return { ...parseModel({ name: `core/${name}.sql`, text }), parents: [], fingerprint: sql };
}

const setOf = (...models: Model[]) =>
  assembleModels(
    models.map(({ file, text }) => ({ name: file, text })),
    readShared(),
  );

async function build(dataDir: string, options: BuildOptions): Promise<void> {
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await buildModels(warehouse, options);
  } finally {
    await warehouse.close();
  }
}

describe('the history of models', () => {
  test('names the changed files of each model set and the current set', async () => {
    const dataDir = temporaryDataDir();
    expect(await readHistory(dataDir)).toEqual([]);
    const at = (day: number) => new Date(Date.UTC(2026, 10, day, 12));
    const [a, b, other] = [write('a'), write('b'), write('b', 'SELECT 2::BIGINT AS id')];
    const first = await setOf(a, b);
    await build(dataDir, { set: first, now: at(1) });
    // A run with the same files is no new set.
    await build(dataDir, { set: first, now: at(2) });
    await build(dataDir, { set: await setOf(a, other), origin: 'apply', now: at(3) });
    await build(dataDir, { set: await setOf(a), origin: 'apply', now: at(4), dropped: new Set(['core.b']) });
    await build(dataDir, { set: first, origin: 'rollback', ofSet: 1, now: at(5) });
    const shared = first.shared.map(({ name }) => name);
    expect(await readHistory(dataDir)).toEqual([
      {
        set: 1,
        origin: 'run',
        ofSet: null,
        appliedAt: '2026-11-01T12:00:00Z',
        changed: ['core/a.sql', 'core/b.sql', ...shared].toSorted(),
        inForce: false,
      },
      {
        set: 2,
        origin: 'apply',
        ofSet: null,
        appliedAt: '2026-11-03T12:00:00Z',
        changed: ['core/b.sql'],
        inForce: false,
      },
      {
        set: 3,
        origin: 'apply',
        ofSet: null,
        appliedAt: '2026-11-04T12:00:00Z',
        changed: ['core/b.sql'],
        inForce: false,
      },
      {
        set: 4,
        origin: 'rollback',
        ofSet: 1,
        appliedAt: '2026-11-05T12:00:00Z',
        changed: ['core/b.sql'],
        inForce: true,
      },
    ]);
    const warehouse = await openWarehouse(new Data(dataDir));
    const kept = await readSet(warehouse.db, { set: 2 });
    expect(kept.models.map(({ model, text }) => [model, text])).toEqual([
      ['core.a', a.text],
      ['core.b', other.text],
    ]);
    expect(kept.shared.map(({ name }) => name)).toEqual(shared.toSorted());
    await warehouse.close();
  });
});

describe('a query that does not return what its header promises', () => {
  const LABELLED = 'id: BIGINT | Id\n  label: VARCHAR | Label';

  test.each([
    ['lacks a column', write('a', undefined, LABELLED), 'missing label VARCHAR; not in the header none.'],
    [
      'has an extra column',
      write('a', `SELECT 1::BIGINT AS id, 2 AS more`),
      'missing none; not in the header more INTEGER.',
    ],
    ['has another order', write('a', `SELECT 'x' AS label, 1::BIGINT AS id`, LABELLED), 'their order differs.'],
  ])('refuses a query of a model that %s', async (_, model, message) => {
    const failing = build(temporaryDataDir(), { models: [model] });
    await expect(failing).rejects.toThrow(
      `Model core.a (sql/core/a.sql) does not return the columns that its header promises: ${message}`,
    );
  });
});
