import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { parseModel, readModelSet, type Model } from '../../../../src/warehouse/models/models.js';
import { isRepeatable, mayDiffer, readsOfModels, type ModelReads } from '../../../../src/warehouse/models/reads.js';

// These functions read only their arguments.
const OF_ARGUMENTS = new Set(['generate_series', 'json_each', 'json_tree', 'range', 'repeat', 'repeat_row', 'unnest']);
// `query_table` reads the table whose name it gets; readsOfModels finds the name.
const OF_A_NAMED_TABLE = new Set(['query_table']);
// `error` only raises an error. `format_type` names the types of its argument.
const HARMLESS = new Set(['error', 'format_type']);

test('knows every function of DuckDB whose result may change', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT function_name AS name FROM duckdb_functions()
     WHERE stability <> 'CONSISTENT' OR function_type = 'table'
       OR regexp_matches(macro_definition, 'current_|now\\(|random|duckdb_|pragma_|getvariable')`,
  );
  const names = reader.getRowObjectsJson().map(({ name }) => (typeof name === 'string' ? name : ''));
  const known = (name: string): boolean =>
    !isRepeatable(name) || OF_ARGUMENTS.has(name) || OF_A_NAMED_TABLE.has(name) || HARMLESS.has(name);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !known(name))).toEqual([]);
  connection.closeSync();
  instance.closeSync();
});

test('skips every shipped table while its inputs stay the same', async () => {
  const { models } = await readModelSet();
  const reads = await readsOfModels(models, new Map());
  const always = models.filter((model) => {
    const rows = reads.get(model.model)?.rows;
    return model.kind !== 'view' && (rows === undefined || mayDiffer(rows, model));
  });
  expect(always.map(({ model }) => model)).toEqual([]);
  expect([...(reads.get('core.matches')?.rows.tables ?? [])].toSorted()).toEqual([
    'ledger.match_answers',
    'ledger.match_decisions',
  ]);
});

test.each([
  ['the time', "SELECT CAST(1 AS BIGINT) AS id WHERE current_date > DATE '2026-01-01'"],
  ['a function in a subquery', 'SELECT id FROM core.other WHERE id < (SELECT epoch(now()))'],
  ['a file', `SELECT id FROM 'things.csv'`],
  ['a table function that reads files', `SELECT id FROM read_csv('things.csv')`],
  ['a sample', 'SELECT id FROM core.other TABLESAMPLE 10%'],
  ['a table that builds write', 'SELECT 1 AS id FROM base.checks'],
  ['a view over such a table', 'SELECT 1 AS id FROM ops.checks'],
  ['keys that the build removes', 'SELECT company_id AS id FROM ledger.dirty_companies'],
  ['another schema', 'SELECT 1 AS id FROM main.schema_version'],
])('always builds a table that reads %s', async (_, sql) => {
  const { models } = await readModelSet();
  const reads = await readsOfModels([...models, thing(sql)], new Map());
  expect(isAlwaysBuilt(reads, 'core.thing')).toBe(true);
});

test('finds tables behind views of the ledger, quoted names and names in strings', async () => {
  const sql = `WITH a AS (FROM "Core"."Companies") SELECT 1 AS id FROM a, ledger.v, query_table('ledger.x'), settings`;
  const reads = await readsOfModels([thing(sql)], new Map([['ledger.v', 'SELECT 1 FROM ledger.below']]));
  expect([...(reads.get('core.thing')?.rows.tables ?? [])].toSorted()).toEqual([
    'core.companies',
    'ledger.below',
    'ledger.v',
    'ledger.x',
  ]);
  expect(isAlwaysBuilt(reads, 'core.thing')).toBe(false);
});

function isAlwaysBuilt(reads: ReadonlyMap<string, ModelReads>, model: string): boolean {
  const rows = reads.get(model)?.rows;
  return rows === undefined || mayDiffer(rows, { kind: 'table' });
}

function thing(sql: string): Model {
  const header =
    'model: core.thing\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id';
  const file = parseModel({ name: 'core/thing.sql', text: `/*\n${header}\n*/\n${sql}\n` });
  return { ...file, parents: [], fingerprint: sql };
}
