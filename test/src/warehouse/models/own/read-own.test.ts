import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readModelSet } from '../../../../../src/warehouse/models/models.js';
import { readsOfModels } from '../../../../../src/warehouse/models/reads.js';
import { mart, ownFolder } from './own-folder.js';

const ONE = 'SELECT CAST(1 AS BIGINT) AS id';

/** What a model in the folder uses, as `kind name`. */
async function usesOf(files: Record<string, string>, model = 'marts.thing'): Promise<string[]> {
  const { models } = await readModelSet(ownFolder(files));
  return (models.find((one) => one.model === model)?.uses ?? []).map(({ kind, name }) => `${kind} ${name}`);
}

test('finds macros and seeds that a model uses, also through other macros', async () => {
  const files = {
    'macros/a.sql': 'CREATE MACRO outer_one(x) AS inner_one(x) + 1;\nCREATE MACRO unused(x) AS x;',
    'macros/b.sql':
      "CREATE OR REPLACE TEMP MACRO inner_one(x) AS x + (SELECT count(*) FROM seed_regions WHERE code = 'x;y');",
    'seeds/regions.csv': 'code,name\n007,Bond\n',
    'seeds/other.csv': 'code\n1\n',
    'marts/thing.sql': mart('thing', 'SELECT OUTER_ONE(company_id) AS id FROM core.companies'),
    'marts/more.sql': mart(
      'more',
      ONE,
      undefined,
      "audits: [{name: a, severity: warn, sql: 'FROM seed_other WHERE false'}]\n",
    ),
    'marts/last.sql': mart('last', `WITH seed_other AS (${ONE}) SELECT id FROM seed_other -- unused(1)`),
  };
  expect(await usesOf(files)).toEqual(['seed seed_regions', 'macro inner_one', 'macro outer_one']);
  expect(await usesOf(files, 'marts.more')).toEqual(['seed seed_other']);
  expect(await usesOf(files, 'marts.last')).toEqual([]);
  expect(await usesOf(files, 'marts.companies')).toEqual([]);
});

test('changes only the fingerprints of models that use a changed macro or seed', async () => {
  const files = {
    'macros/a.sql': 'CREATE MACRO twice(x) AS 2 * x;',
    'seeds/regions.csv': 'id\n1\n',
    'marts/thing.sql': mart('thing', 'SELECT twice(company_id) AS id FROM core.companies'),
    'marts/child.sql': mart('child', 'SELECT id FROM marts.thing'),
    'marts/seeded.sql': mart('seeded', 'SELECT CAST(id AS BIGINT) AS id FROM seed_regions'),
  };
  const fingerprints = async (changed: Record<string, string>) =>
    new Map(
      (await readModelSet(ownFolder({ ...files, ...changed }))).models.map((one) => [one.model, one.fingerprint]),
    );
  const before = await fingerprints({});
  const changedBy = async (changed: Record<string, string>) =>
    [...(await fingerprints(changed))].flatMap(([model, hash]) => (before.get(model) === hash ? [] : [model]));
  expect(await changedBy({ 'macros/a.sql': '-- A comment.\nCREATE MACRO twice(x) AS 2 * x' })).toEqual([]);
  expect(await changedBy({ 'macros/a.sql': 'CREATE MACRO twice(x) AS x + x;' })).toEqual([
    'marts.thing',
    'marts.child',
  ]);
  expect(await changedBy({ 'seeds/regions.csv': '"id"\r\n"1"\r\n' })).toEqual([]);
  expect(await changedBy({ 'seeds/regions.csv': 'id\n2\n' })).toEqual(['marts.seeded']);
  expect(await changedBy({ 'seeds/regions.yml': 'columns: { id: BIGINT }' })).toEqual(['marts.seeded']);
  expect(await changedBy({ 'seeds/new.csv': 'id\n2\n', 'macros/new.sql': 'CREATE MACRO new() AS 1' })).toEqual([]);
});

test.each([
  ['a macro', 'CREATE MACRO recent(d) AS d > today();'],
  ['a default value', 'CREATE MACRO recent(d, since := if(true, today(), today())) AS d > since;'],
  ['a default without parentheses', 'CREATE MACRO recent(d, since := localtimestamp) AS d > since;'],
  ['a macro in a macro', 'CREATE MACRO now_is() AS now(); CREATE MACRO recent(d) AS d > now_is();'],
])('builds a model in every run if %s gives other results each time', async (_, macros) => {
  const folder = (sql: string) =>
    ownFolder({
      'macros/a.sql': sql,
      'marts/thing.sql': mart('thing', 'SELECT company_id AS id FROM core.companies WHERE recent(founding_date)'),
    });
  const isRepeatable = async (sql: string) => {
    const { models } = await readModelSet(folder(sql));
    return (await readsOfModels(models, new Map())).get('marts.thing')?.rows.isRepeatable;
  };
  expect(await isRepeatable(macros)).toBe(false);
  expect(await isRepeatable("CREATE MACRO recent(d, since := DATE '2026-01-01') AS d > since;")).toBe(true);
});

test.each<[what: string, files: Record<string, string>, message: RegExp]>([
  [
    'another statement',
    { 'macros/a.sql': 'CREATE MACRO ok() AS 1; DROP TABLE core.companies;' },
    /macros\/a\.sql, statement 2 does not create a macro: DROP TABLE core\.companies/,
  ],
  [
    'a statement behind an escaped quote',
    { 'macros/a.sql': `CREATE MACRO ok() AS E'\\''; DROP TABLE x; --'` },
    /statement 2 does not create a macro: DROP TABLE x/,
  ],
  ['a macro in a schema', { 'macros/a.sql': 'CREATE MACRO core.mine() AS 1' }, /statement 1 does not create a macro/],
  [
    'wrong syntax',
    { 'macros/a.sql': 'CREATE MACRO mine(x) AS x +' },
    /macros\/a\.sql, macro mine: Parser Error: syntax error/,
  ],
  [
    'an unknown function',
    { 'macros/a.sql': 'CREATE MACRO mine(x) AS nowhere(x)' },
    /macros\/a\.sql, macro mine: Catalog Error: .*nowhere/,
  ],
  [
    'macros that call each other',
    { 'macros/a.sql': 'CREATE MACRO one(x) AS two(x); CREATE MACRO two(x) AS one(x)' },
    /macro one: Catalog Error: .*two/,
  ],
  [
    'a table',
    { 'macros/a.sql': 'CREATE MACRO mine() AS (SELECT max(company_id) FROM core.companies)' },
    /macro mine: Catalog Error: Table with name .*core\.companies/,
  ],
  [
    'the name of a shipped macro',
    { 'macros/a.sql': 'CREATE MACRO Size_Bounds(t) AS 1' },
    /creates the macro size_bounds, but size_bounds is a macro of Tidemark/,
  ],
  [
    'the name of a function',
    { 'macros/a.sql': 'CREATE MACRO lower(t) AS t' },
    /creates the macro lower, but lower is a function of DuckDB/,
  ],
  [
    'a macro twice',
    { 'macros/a.sql': 'CREATE MACRO one() AS 1; CREATE MACRO ONE(x) AS 1' },
    /a\.sql creates the macro one twice/,
  ],
  [
    'a macro in two files',
    { 'macros/a.sql': 'CREATE MACRO one() AS 1', 'macros/b.sql': 'CREATE MACRO one() AS 1' },
    /b\.sql creates the macro one, and .*a\.sql creates it too/,
  ],
  [
    'the name of a shipped seed',
    { 'seeds/indicators.csv': 'a\n1\n' },
    /indicators\.csv would replace the table seed_indicators/,
  ],
  ['the name of a built-in table', { 'seeds/fields.csv': 'a\n1\n' }, /fields\.csv would replace the table seed_fields/],
  [
    'a name with capitals',
    { 'seeds/Regions.csv': 'a\n1\n' },
    /Regions\.csv has a name that cannot be the name of a table/,
  ],
  ['an empty seed', { 'seeds/regions.csv': '' }, /regions\.csv is empty/],
  ['a repeated column', { 'seeds/regions.csv': 'id,ID\n1,2\n' }, /regions\.csv names the column ID twice/],
  ['a column without name', { 'seeds/regions.csv': 'id,\n1,2\n' }, /has a column without a name/],
  ['a missing field', { 'seeds/regions.csv': 'id,name\n1,a\n2\n' }, /line 3: it has 1 fields, but the header has 2/],
  ['an open quote', { 'seeds/regions.csv': 'id,name\n1,"a\n2,b\n' }, /line 2: a quote is opened but never closed/],
  [
    'types without a table',
    { 'seeds/regions.yml': 'columns: {}' },
    /regions\.yml declares types, but there is no regions\.csv/,
  ],
  [
    'an unknown type',
    { 'seeds/regions.csv': 'id\n1\n', 'seeds/regions.yml': 'columns: { id: NUMBER }' },
    /regions\.yml: .*must be one of these types: VARCHAR/s,
  ],
  [
    'an unknown column',
    { 'seeds/regions.csv': 'id\n1\n', 'seeds/regions.yml': 'columns: { Id: BIGINT }' },
    /declares the column Id, but .*regions\.csv has the columns id/,
  ],
  [
    'a wrong value',
    { 'seeds/regions.csv': 'id,n\na,1\nb,1.5\nc,x\n', 'seeds/regions.yml': 'columns: { n: INTEGER }' },
    /line 3: "1\.5" in column n is not a whole number \(INTEGER\); line 4: "x"/,
  ],
  ['another kind of file', { 'seeds/regions.xlsx': '' }, /regions\.xlsx is no seed/],
  ['a seed in a subfolder', { 'seeds/eu/regions.csv': 'a\n' }, /not in the subfolder from which Tidemark reads seeds/],
  ['a seed among the models', { 'marts/regions.csv': 'a\n' }, /not in the subfolder from which Tidemark reads seeds/],
  ['a macro in a subfolder', { 'macros/eu/a.sql': '' }, /not in a subfolder from which Tidemark reads \.sql files/],
  ['SQL among the seeds', { 'seeds/a.sql': '' }, /not in a subfolder from which Tidemark reads \.sql files/],
  [
    'a view that uses a seed',
    {
      'seeds/regions.csv': 'id\n1\n',
      'marts/thing.sql': mart('thing', 'SELECT id FROM seed_regions').replace('table', 'view'),
    },
    /thing\.sql is a view and uses the seed seed_regions of .*regions\.csv/,
  ],
])('refuses %s and names the file', async (_, files, message) => {
  await expect(readModelSet(ownFolder(files))).rejects.toThrow(message);
});

test('refuses a seed that is not UTF-8, or too large', async () => {
  const folder = ownFolder({ 'seeds/regions.csv': 'id\n', 'seeds/.hidden': '', 'seeds/README.md': '' });
  await readModelSet(folder);
  writeFileSync(`${folder}/seeds/regions.csv`, Buffer.from([0x69, 0x0a, 0xe9, 0x0a]));
  await expect(readModelSet(folder)).rejects.toThrow(/regions\.csv is not UTF-8 text: line 2/);
  writeFileSync(`${folder}/seeds/regions.csv`, `id\n${'x'.repeat(10_000_000)}`);
  await expect(readModelSet(folder)).rejects.toThrow(/regions\.csv is larger than 10 MB/);
});

const THING = mart('thing', `SELECT twice(CAST(1 AS BIGINT)) AS id -- 'é'\n`);
const MACRO = 'CREATE MACRO twice(x) AS\n  2 * x;\n';
const BOM = '\uFEFF';
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

test.each([
  ['LF', THING, MACRO],
  ['CRLF (Git with autocrlf)', crlf(THING), crlf(MACRO)],
  ['a byte order mark', BOM + THING, BOM + MACRO],
  ['a byte order mark and CRLF', BOM + crlf(THING), BOM + crlf(MACRO)],
  ['CRLF that was converted twice', crlf(crlf(THING)), crlf(crlf(MACRO))],
  ['LF and CRLF mixed', THING.replace('\n', '\r\n'), MACRO.replace('\n', '\r\n')],
])('reads a model and a macro with %s, with the same fingerprint', async (_, thing, macro) => {
  const fingerprintOf = async (files: Record<string, string>) => {
    const { models } = await readModelSet(ownFolder(files));
    return models.find(({ model }) => model === 'marts.thing')?.fingerprint;
  };
  const expected = await fingerprintOf({ 'marts/thing.sql': THING, 'macros/a.sql': MACRO });
  expect(expected).toBeDefined();
  expect(await fingerprintOf({ 'marts/thing.sql': thing, 'macros/a.sql': macro })).toBe(expected);
});

test.each([
  ['lines before the header', `\n  \n${THING}`],
  ['spaces after the opening', THING.replace('/*\n', '/* \t\n')],
  ['spaces around the end of the header', THING.replace('\n*/\n', '\n  */  \n')],
])('reads a model with %s', async (_, thing) => {
  const { models } = await readModelSet(ownFolder({ 'marts/thing.sql': thing, 'macros/a.sql': MACRO }));
  expect(models.find(({ model }) => model === 'marts.thing')?.uses).toHaveLength(1);
});

test.each([
  ['UTF-16 with a mark', Buffer.from(BOM + THING, 'utf16le'), 'it begins like UTF-16'],
  ['UTF-16 without a mark', Buffer.from(THING, 'utf16le'), 'it holds zero bytes'],
  ['Latin-1', Buffer.from(THING, 'latin1'), 'line 11 has bytes of another encoding'],
])('names the encoding of a model in %s', async (_, bytes, what) => {
  const folder = ownFolder({ 'marts/thing.sql': '' });
  writeFileSync(path.join(folder, 'marts/thing.sql'), bytes);
  await expect(readModelSet(folder)).rejects.toThrow(`thing.sql is not UTF-8 text: ${what}`);
});
