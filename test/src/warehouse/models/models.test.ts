import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { ModelFailedError } from '../../../../src/warehouse/duckdb/errors.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { findParents } from '../../../../src/warehouse/models/parents.js';
import { orderModels, parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { buildFrom, openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

function modelFile(header: string, sql: string, name = 'core/thing.sql') {
  return { name, text: `/*\n${header}\n*/\n${sql}\n` };
}

const HEADER =
  'model: core.thing\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id';

function testModel(header: string, sql: string): Model {
  return { ...parseModel(modelFile(header, sql)), parents: [], fingerprint: sql };
}

describe('model files', () => {
  test("reads references with DuckDB's parser, not from text or comments", async () => {
    const header = `${HEADER.replace('kind: table', 'kind: incremental')}
incremental:
  by: [id]
  changed: SELECT id FROM core.watch_events -- ops.quota
  all: SELECT id FROM core.thing
audits: [{name: few, severity: warn, sql: FROM ops.checks}]`;
    const sql = `WITH companies AS (SELECT 'core.tenders' AS text FROM ledger.observations), /* core.nothing */
      "marts.changes" AS (SELECT 1 FROM companies)
      SELECT id FROM "ops"."runs" AS r, "marts.changes" WHERE EXISTS (SELECT * FROM core.companies AS c WHERE c.id = r.id)`;
    const [model] = await findParents([parseModel(modelFile(header, sql))]);
    expect(model).toMatchObject({
      model: 'core.thing',
      parents: ['core.companies', 'core.watch_events', 'ops.runs'],
      columns: { id: { type: 'BIGINT', comment: 'Id' } },
    });
  });

  test.each([
    ['a query', HEADER, "SELECT 'ø',\n  1 FRM x y", /sql\/core\/thing\.sql:12: DuckDB cannot parse the SQL: .*"x"/],
    ['two queries', HEADER, 'SELECT 1; SELECT 2', /thing\.sql:11: .*2 statements/],
    ['no query', HEADER, 'DROP TABLE core.thing', /thing\.sql:11: .*Only SELECT/],
    [
      'a query for changed keys',
      `${HEADER.replace('kind: table', 'kind: incremental')}\nincremental: \n  by: [id]\n  changed: SELECT 1\n  all: SELECT FROM FROM`,
      'SELECT 1',
      /thing\.sql:13: .*"FROM"/,
    ],
    [
      'an audit',
      `${HEADER}\naudits: [{name: few, severity: warn, sql: WHERE}]`,
      'SELECT 1',
      /thing\.sql: audit few: DuckDB cannot parse the SQL/,
    ],
  ])('names file and line of %s that does not parse', async (_, header, sql, message) => {
    await expect(findParents([parseModel(modelFile(header, sql))])).rejects.toThrow(message);
  });

  test.each([
    ['no header', { name: 'core/thing.sql', text: 'SELECT 1' }, /the header is missing/],
    [
      'a name that begins with a digit',
      modelFile(HEADER.replace('core.thing', 'core.9lives'), 'SELECT 1'),
      /begins with a letter/,
    ],
    ['a missing field', modelFile(HEADER.replace('grain: thing\n', ''), 'SELECT 1'), /grain/],
    ['a column without comment', modelFile(HEADER.replace(' | Id', ''), 'SELECT 1'), /TYPE \| comment/],
    [
      'another name than the file',
      modelFile(HEADER, 'SELECT 1', 'core/other.sql'),
      /name the file sql\/core\/thing.sql/,
    ],
    [
      'incremental without its block',
      modelFile(HEADER.replace('kind: table', 'kind: incremental'), 'SELECT 1'),
      /use both or neither/,
    ],
  ])('rejects a model file: %s', (_, file, message) => {
    expect(() => parseModel(file)).toThrow(message);
  });

  test.each(['core.top100', 'core.plan_2026', 'core.a1_v2'])('accepts digits in a name: %s', (name) => {
    const file = modelFile(HEADER.replace('core.thing', name), 'SELECT 1', `${name.replace('.', '/')}.sql`);
    expect(parseModel(file).model).toBe(name);
  });

  test('orders models by references and names circles and missing ones', () => {
    const models = [
      { model: 'core.c', parents: ['core.b'] },
      { model: 'core.b', parents: ['core.a'] },
      { model: 'core.a', parents: [] },
    ];
    expect(orderModels(models).map((each) => each.model)).toEqual(['core.a', 'core.b', 'core.c']);
    expect(() =>
      orderModels([
        { model: 'core.a', parents: ['core.b'] },
        { model: 'core.b', parents: ['core.a'] },
      ]),
    ).toThrow(/circle: core.a, core.b/);
    expect(() => orderModels([{ model: 'core.a', parents: ['core.x'] }])).toThrow(/core.a reads core.x/);
  });
});

describe('buildModels', () => {
  test('builds all models on an empty warehouse', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    expect(await buildModels(warehouse)).toEqual({ models: (await readModels()).length, failedAudits: [], notes: [] });
    expect(await warehouse.db.rows(`SELECT count(*)::INTEGER AS n FROM meta.models WHERE state = 'current'`)).toEqual([
      { n: (await readModels()).length },
    ]);
  });

  test('rejects columns other than declared and changes nothing', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await expect(buildModels(warehouse, { models: [testModel(HEADER, 'SELECT 1 AS id, 2 AS more')] })).rejects.toThrow(
      /missing id BIGINT; not in the header id INTEGER, more INTEGER/,
    );
    expect(await warehouse.db.count(`SELECT count(*) FROM duckdb_tables() WHERE table_name = 'thing'`)).toBe(0);
    expect(await warehouse.db.count('SELECT count(*) FROM base.models')).toBe(0);
  });

  test('rolls back on a failed error audit and only reports a warning', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const good = testModel(
      `${HEADER}\naudits:\n  - {name: small, severity: warn, sql: SELECT * FROM core.thing WHERE id > 1}`,
      'SELECT CAST(unnest([1, 2, 3]) AS BIGINT) AS id',
    );
    expect(await buildModels(warehouse, { models: [good] })).toEqual({
      models: 1,
      failedAudits: ['core.thing.small (2)'],
      notes: [],
    });
    const bad = testModel(HEADER, 'SELECT CAST(unnest([1, 1, NULL]) AS BIGINT) AS id');
    const error: unknown = await buildModels(warehouse, { models: [bad] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelFailedError);
    expect(error).toMatchObject({ failedAudits: ['core.thing.key_is_unique (1)', 'core.thing.key_is_not_null (1)'] });
    expect(await warehouse.db.count('SELECT count(*) FROM core.thing')).toBe(3);
    expect(await warehouse.db.rows(`SELECT "check" FROM base.checks WHERE failing_rows > 0`)).toEqual([
      { check: 'small' },
    ]);
  });

  test('names the file of SQL that cannot run', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    await expect(buildModels(warehouse, { models: [testModel(HEADER, 'SELECT nothing AS id')] })).rejects.toThrow(
      /core.thing \(sql\/core\/thing.sql\).*nothing/s,
    );
  });

  test('rebuilds only changed keys of an incremental model unless its SQL changed', async () => {
    const warehouse = await buildFrom([{ stream: 'companies', entity: '1', body: { id: 1, name: 'A' } }]);
    const models = await readModels();
    await warehouse.db.run(`UPDATE core.companies_history SET name = 'edited by hand'`);
    await buildModels(warehouse, { models });
    expect(await warehouse.db.rows('SELECT name FROM core.companies_history')).toEqual([{ name: 'edited by hand' }]);
    await buildModels(warehouse, {
      models: models.map((model) =>
        model.model === 'core.companies_history' ? { ...model, fingerprint: 'new' } : model,
      ),
    });
    expect(await warehouse.db.rows('SELECT name FROM core.companies')).toEqual([{ name: 'A' }]);
  });
});

describe('personal data', () => {
  const answers: Parameters<typeof buildFrom>[0] = [
    {
      stream: 'tender_details',
      entity: 't1',
      body: { slug: 't1', contacts: { email: [{ type: 'office', name: 'a@b.example', id: 10, desk: 'Ann' }] } },
    },
  ];

  test.each([
    ['with names if configured', true, 'a@b.example', '{"desk":"Ann"}'],
    ['without names if not configured', false, null, null],
  ])('stores contact data of tenders: %s', async (_, personalData, name, extra) => {
    const { db } = await buildFrom(answers, personalData);
    expect(await db.rows('SELECT slug, kind, name, extra FROM core.tender_contacts')).toEqual([
      { slug: 't1', kind: 'email', name, extra },
    ]);
  });
});
