import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withMemory } from '../../../../../src/warehouse/duckdb/in-memory.js';
import { parseMacros, queriesOfMacro } from '../../../../../src/warehouse/models/own/macros.js';

const NAMES = ['one', 'Two', 'three_3', '_four'];
const HEADS = [
  'CREATE MACRO ',
  'create or  replace temp\nmacro ',
  'CREATE TEMPORARY FUNCTION ',
  'CREATE OR REPLACE MACRO ',
];
const literal = fc.string().map((text) => `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`);
const filler = fc.constantFrom('', ' ', '\n-- a ; comment\n', '/* CREATE TABLE x; */ ');

test('reads each macro of a file once, whatever its strings and comments contain', async () => {
  await withMemory('x', async (db) => {
    const macro = fc.record({ name: fc.constantFrom(...NAMES), head: fc.constantFrom(...HEADS), literal, filler });
    await fc.assert(
      fc.asyncProperty(fc.array(macro, { maxLength: 4 }), async (macros) => {
        const text = macros
          .map((one) => `${one.filler}${one.head}${one.name}(x)${one.filler} AS ${one.literal}`)
          .join(';');
        const parsed = parseMacros({ name: 'own/macros/a.sql', text });
        expect(parsed.map(({ name }) => name)).toEqual(macros.map(({ name }) => name.toLowerCase()));
        for (const [i, { name, sql }] of parsed.entries()) {
          await db.run(sql);
          const [row] = await db.rows<{ is: boolean }>(`SELECT ${name}(1) = ${macros[i]!.literal} AS is`);
          expect(row?.is).toBe(true);
        }
      }),
    );
    const kept = `SELECT count(*) FROM duckdb_functions() WHERE NOT internal AND database_name <> 'temp'`;
    expect(await db.count(kept)).toBe(0);
  });
});

test('counts each function in default values as a call', () => {
  const functions = new Set(['today', 'lower', 'mine']);
  const bodies = [{ type: 'macro', definition: '(x - d)' }];
  expect(queriesOfMacro('CREATE MACRO f(x) AS today()', bodies, functions)).toEqual(['SELECT ((x - d))']);
  expect(queriesOfMacro('CREATE MACRO f(x, d := MINE(today())) AS x - d', bodies, functions)).toEqual([
    'SELECT ((x - d))',
    'SELECT main."mine"(), main."today"()',
  ]);
  expect(queriesOfMacro('x', [{ type: 'table_macro', definition: 'SELECT 1' }], functions)).toEqual(['SELECT 1']);
});
