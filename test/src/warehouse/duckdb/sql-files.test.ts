import { expect, it } from 'vitest';
import { identifier, quote } from '../../../../src/warehouse/duckdb/sql-files.js';

it('escapes quotes in texts and names', () => {
  expect(quote("O'Neill's")).toBe("'O''Neill''s'");
  expect(quote('"')).toBe(`'"'`);
  expect(identifier('a "b" c')).toBe('"a ""b"" c"');
  expect(identifier("'")).toBe(`"'"`);
});
