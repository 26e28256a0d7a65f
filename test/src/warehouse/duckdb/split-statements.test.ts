import { expect, test } from 'vitest';
import { splitStatements } from '../../../../src/warehouse/duckdb/split-statements.js';

test.each([
  ['SELECT 1; SELECT 2', ['SELECT 1', 'SELECT 2']],
  ["SELECT ';", ["SELECT ';"]],
  ['SELECT ";\n";', ['SELECT ";\n"']],
  ['/* ; \n', []],
  ["SELECT 'it''s;'; -- ;", ["SELECT 'it''s;'"]],
  [';;', []],
])('splits %j', (text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
});
