import { describe, expect, test } from 'vitest';
import { complete } from '../../../../src/commands/sql/complete.js';
import { splitOpen } from '../../../../src/duckdb/split-statements.js';

const column = (name: string) => ({ name, type: 'BIGINT', comment: null });
const CATALOG = {
  tables: [
    { table: 'core.companies', comment: null, columns: [column('company_id'), column('name')] },
    { table: 'marts.changes', comment: null, columns: [column('changed_at'), column('kind')] },
  ],
  functions: ['core.companies_as_of'],
};
const words = (line: string, before = '') => complete(line, before, CATALOG)[0];

describe('completion in the shell', () => {
  test('completes tables and functions by schema', () => {
    expect(complete('FROM core.', '', CATALOG)).toEqual([['core.companies', 'core.companies_as_of('], 'core.']);
    expect(words('FROM mar')).toEqual(['marts.changes']);
  });

  test('completes columns of the tables that the statement names', () => {
    expect(words('FROM marts.changes WHERE k')).toEqual(['kind']);
    expect(words('WHERE c', 'FROM marts.changes')).toEqual([
      'CASE',
      'changed_at',
      'core.companies',
      'core.companies_as_of(',
      'count',
    ]);
    expect(words('SELECT n')).toContain('name');
  });

  test('completes columns of an alias', () => {
    expect(words('SELECT x FROM core.companies AS c WHERE c.')).toEqual(['c.company_id', 'c.name']);
    expect(words('SELECT x FROM core.companies c JOIN marts.changes d ON d.k')).toEqual(['d.kind']);
    expect(words('FROM marts.changes WHERE changes.k')).toEqual(['changes.kind']);
  });

  test('completes commands and their arguments', () => {
    expect(words('\\f')).toEqual(['\\format']);
    expect(words('\\d core.')).toEqual(['core.companies']);
    expect(words('\\format m')).toEqual(['markdown']);
  });
});

describe('splitOpen', () => {
  test.each([
    ['SELECT 1; SELECT', ['SELECT 1'], 'SELECT'],
    ["SELECT ';", [], "SELECT ';"],
    ['SELECT ";\n";', ['SELECT ";\n"'], ''],
    ['/* ; \n', [], ''],
    ["SELECT 'it''s;'; -- ;", ["SELECT 'it''s;'"], ''],
    [';;', [], ''],
  ])('splits %j', (text, statements, rest) => {
    expect(splitOpen(text)).toEqual({ statements, rest });
  });
});
