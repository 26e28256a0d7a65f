import { describe, expect, test } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { listAudits } from '../../../../src/warehouse/models/audit.js';
import { assembleModels, parseModel, type Model } from '../../../../src/warehouse/models/models.js';

const file = (audits: string) => ({
  name: 'marts/top10_2026.sql',
  text: `/*
model: marts.top10_2026
kind: table
version: 1
owner: Research
tags: [weekly]
grain: thing
key: [id]
description: Things.
columns:
  id: BIGINT | Id
  kind: VARCHAR | Kind
  since: TIMESTAMPTZ | Time
audits:
${audits}
*/
SELECT 1::BIGINT AS id, 'a' AS kind, now() AS since
`,
});
const modelOf = async (audits: string): Promise<Model> => (await assembleModels([file(audits)], [])).models[0]!;

/** Number of rows that each audit finds, by name. */
async function failures(audits: string, rows: string): Promise<Record<string, number>> {
  const model = await modelOf(audits);
  return withMemory('test', async (db) => {
    await db.run('CREATE SCHEMA marts');
    await db.run('CREATE SCHEMA core');
    await db.run('CREATE TABLE core.companies AS SELECT 1::BIGINT AS company_id');
    await db.run(
      `CREATE TABLE marts.top10_2026 AS SELECT id::BIGINT AS id, kind::VARCHAR AS kind, since::TIMESTAMPTZ AS since FROM (VALUES ${rows}) AS t(id, kind, since)`,
    );
    const found: Record<string, number> = {};
    for (const { name, sql } of listAudits(model)) found[name] = await db.count(`SELECT count(*) FROM (${sql})`);
    return found;
  });
}

describe('audits with parameters', () => {
  test('accept listed values and NULL', async () => {
    const audits = `  - accepted_values: { column: kind, values: ["it's", b] }`;
    expect(await failures(audits, `(1, 'it''s', NULL), (2, 'b', NULL), (3, NULL, NULL), (4, 'c', NULL)`)).toMatchObject(
      {
        accepted_values_kind: 1,
      },
    );
  });

  test.each([
    ['min: 2', 1],
    ['max: 2', 2],
    ['min: 2, max: 3', 2],
  ])('accept numbers within %s', async (bounds, expected) => {
    const audits = `  - { name: r, severity: warn, range: { column: id, ${bounds} } }`;
    const found = await failures(
      audits,
      '(1, NULL, NULL), (2, NULL, NULL), (3, NULL, NULL), (4, NULL, NULL), (NULL, NULL, NULL)',
    );
    expect(found['r']).toBe(expected);
  });

  test('find values that another table lacks', async () => {
    const audits = '  - relationships: { column: id, to: core.companies, field: company_id }';
    expect(await failures(audits, '(1, NULL, NULL), (2, NULL, NULL), (NULL, NULL, NULL)')).toMatchObject({
      relationships_id: 1,
    });
  });

  test('find a table whose latest row is too old, and an empty one', async () => {
    const audits = '  - freshness: { column: since, within: 2d }';
    const recent = `(1, NULL, now()), (2, NULL, now() - INTERVAL 9 DAY)`;
    expect(await failures(audits, recent)).toMatchObject({ freshness_since: 0 });
    expect(await failures(audits, `(1, NULL, now() - INTERVAL 49 HOUR)`)).toMatchObject({ freshness_since: 1 });
    expect(await failures(audits, `(1, NULL, NULL)`)).toMatchObject({ freshness_since: 1 });
  });

  test('keep owner, tags and parameters for the dictionary', async () => {
    const model = await modelOf('  - { severity: warn, range: { column: id, min: 0 } }');
    expect([model.owner, model.tags]).toEqual(['Research', ['weekly']]);
    expect(model.audits).toMatchObject([
      { name: 'range_id', severity: 'warn', test: { kind: 'range', column: 'id', min: 0 } },
    ]);
  });

  test.each([
    ['  - { range: { column: gone, min: 0 } }', 'audit range: the model has no column gone'],
    ['  - { range: { column: id } }', 'needs `min`, `max` or both'],
    ['  - { freshness: { column: since, within: soon } }', 'must be a duration such as 36h or 2d'],
    ['  - { severity: warn }', 'or exactly one of accepted_values'],
    [
      '  - { range: { column: id, min: 0 } }\n  - { range: { column: id, max: 9 } }',
      'two audits have the name range_id',
    ],
  ])('refuse %s', (audits, message) => {
    expect(() => parseModel(file(audits))).toThrow(message);
  });
});
