import { describe, expect, test } from 'vitest';
import { parseQueries, type ParsedSql } from '../../../../src/warehouse/duckdb/sql-parser.js';

const parse = async (sql: string): Promise<ParsedSql> => (await parseQueries([sql]))(sql);

describe('the SQL parser', () => {
  test('finds each table with a schema once, sorted, in subqueries and CTEs too', async () => {
    const sql = `WITH own AS (FROM ops.runs) SELECT (SELECT max(x) FROM core.b) FROM core.b JOIN core.a USING (id)
      WHERE EXISTS (FROM own) AND 'FROM core.text' <> '' -- FROM core.comment`;
    expect(await parse(sql)).toMatchObject({ tables: ['core.a', 'core.b', 'ops.runs'] });
    expect(await parse('SELECT 1')).toMatchObject({ tables: [] });
  });

  test('names the line of a syntax error after multibyte characters', async () => {
    const { fault } = await parse(`SELECT 'ÄÖÜ€',\n  'ÄÖÜ€'\nFROM core.a WHERE WHERE\n`);
    expect(fault).toMatchObject({ line: 3, message: expect.stringContaining('syntax error') as string });
    expect((await parse('SELEC 1')).fault).toMatchObject({ line: 1 });
  });

  test('finds functions, strings, and tables without a schema that are no CTEs', async () => {
    const sql = `WITH own AS (SELECT Now(), current_date, x.user, 'a.b' FROM "f.csv") FROM Own, settings, unnest([1]), (DESCRIBE t)`;
    expect(await parse(sql)).toEqual({
      tables: [],
      otherTables: ['f.csv', 'settings', 't'],
      functions: ['current_date', 'describe', 'list_value', 'now', 'unnest'],
      strings: ['a.b'],
    });
    expect(await parse('FROM core.a TABLESAMPLE 10%')).toMatchObject({ functions: ['tablesample'] });
  });

  test('refuses several statements and accepts a final semicolon', async () => {
    const refused = (n: number) => ({
      fault: { message: `${n} statements found, but one query is needed`, line: null },
    });
    expect(await parse('SELECT 1; SELECT 2')).toEqual(refused(2));
    expect(await parse('SELECT 3;')).toMatchObject({ tables: [] });
  });

  test('caches what it parsed', async () => {
    const sql = 'SELECT * FROM core.remembered';
    expect(await parse(sql)).toBe(await parse(sql));
  });
});
