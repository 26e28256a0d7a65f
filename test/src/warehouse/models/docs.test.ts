import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { readLineage } from '../../../../src/warehouse/models/lineage.js';
import { readFunctions } from '../../../../src/warehouse/models/functions.js';
import { describeTables, renderDictionary } from '../../../../src/warehouse/models/docs.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { land, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const models = await readModels();
const dictionary = renderDictionary(describeTables(models, await readLineage(models)), readFunctions());

function model(name: string, rest: string, sql: string, parents: string[] = []): Model {
  const [schema, table] = name.split('.');
  const text = `/*\nmodel: ${name}\nkind: table\nversion: 3\ngrain: thing\n${rest}\n*/\n${sql}\n`;
  return { ...parseModel({ name: `${schema}/${table}.sql`, text }), parents, fingerprint: name };
}

test('matches docs/data-dictionary.md (if not: tidemark models docs --out docs/data-dictionary.md)', () => {
  expect(readFileSync('docs/data-dictionary.md', 'utf8')).toBe(dictionary);
});

test('tells missing, null and empty text apart with the query of the dictionary', async () => {
  const dataDir = temporaryDataDir();
  const bodies = [{ id: 7 }, { id: 7, vat_number: null }, { id: 7, vat_number: '' }, { id: 7, vat_number: 'DK1' }];
  const answers = bodies.map((body, day) => ({
    stream: 'companies' as const,
    entity: '7',
    at: `2026-11-0${day + 1}T01:00:00Z`,
    body,
  }));
  await land(dataDir, answers);
  const query = /```sql\n([^`]+)```/.exec(dictionary)?.[1] ?? '';
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    const rows = await warehouse.db.rows(query.replace('data/landing', `${dataDir}/landing`));
    expect(rows.map((row) => row['vat_number'])).toEqual([null, 'null', '""', '"DK1"']);
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
    const values = await warehouse.db.rows('SELECT vat_number FROM core.companies_history ORDER BY valid_from');
    expect(values).toEqual([{ vat_number: null }, { vat_number: 'DK1' }]);
  } finally {
    await warehouse.close();
  }
});

test('gives every model and function a section, and every link a target', async () => {
  const anchors = [...dictionary.matchAll(/^### (.+)$/gm)].map((match) => match[1]?.replaceAll('.', ''));
  const functions = readFunctions().map((each) => each.function);
  const tables = [...(await readModels()).map((each) => each.model), 'meta.receipt', ...functions];
  expect(new Set(anchors)).toEqual(new Set(tables.map((name) => name.replace('.', ''))));
  const targets = [...dictionary.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(anchors.length);
  expect(targets.filter((target) => !anchors.includes(target))).toEqual([]);
});

test('knows the lineage of every column', async () => {
  const unknown = [...(await readLineage(models))].flatMap(([name, columns]) =>
    [...columns].flatMap(([column, { lineage }]) => (lineage === 'unknown' ? [`${name}.${column}`] : [])),
  );
  expect(unknown).toEqual([]);
});

test('gives a copied column the type of its source', async () => {
  const types = new Map(
    models.flatMap((one) => Object.entries(one.columns).map(([name, { type }]) => [`${one.model}.${name}`, type])),
  );
  const copies = [...(await readLineage(models))].flatMap(([name, columns]) =>
    [...columns].flatMap(([column, { lineage, from }]) => {
      const source = lineage === 'copied' ? types.get(from[0] ?? '') : undefined;
      return source === undefined
        ? []
        : [{ column: `${name}.${column}`, source, type: types.get(`${name}.${column}`) }];
    }),
  );
  expect(copies.length).toBeGreaterThan(50);
  expect(copies.filter(({ source, type }) => source !== type)).toEqual([]);
});

test('describes a table with key, checks, parents, children and escaped Markdown', () => {
  const things = model(
    'core.things',
    'key: [id, at]\nnullable: [at]\ndescription: Things | <b>.\ncolumns:\n  id: BIGINT | A *bold* a_b id\n  at: TIMESTAMPTZ | When\n' +
      'audits: [{name: few, severity: warn, sql: SELECT 1}]',
    'SELECT 1',
  );
  const daily = model(
    'marts.daily',
    'key: [id]\ndescription: Daily.\ncolumns: { id: BIGINT | Id }',
    'FROM core.things',
    ['core.things'],
  );
  const text = renderDictionary(describeTables([things, daily]));
  expect(text).toContain(`### core.things

Things \\| \\<b\\>.

- One row per thing
- Key: \`id\`, \`at\` (may be NULL: \`at\`)
- Kind: table, version 3, made by [sql/core/things.sql](../sql/core/things.sql)
- Parents: none; it reads records loaded from the landing zone
- Children: [marts.daily](#martsdaily)

| Column | Type | Description |
| --- | --- | --- |
| \`id\` | \`BIGINT\` | A \\*bold\\* a_b id |
| \`at\` | \`TIMESTAMPTZ\` | When |

Audits: \`key_is_unique\` (error), \`key_is_not_null\` (error), \`few\` (warn)
`);
  expect(text).toContain('- Parents: [core.things](#corethings)\n- Children: none');
});
