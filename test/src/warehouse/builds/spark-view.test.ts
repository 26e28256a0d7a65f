import { expect, it } from 'vitest';
import { sparkView } from '../../../../src/warehouse/builds/spark-view.js';
import { filesOf } from '../../../../src/warehouse/builds/table-files.js';

const table = (...keys: string[]) => ({
  rows: keys.length,
  columns: [],
  files: keys.map((key) => ({ key, bytes: 1, rows: 1, sha256: 'x' })),
});

/** The definition of a view of `core.t` with these keys. */
function viewOf(place: string, ...keys: string[]): string {
  const database = { key: 'v=1/market.duckdb', bytes: 1, sha256: 'x' };
  const found = filesOf(place, { format: 1, build: '1', database, tables: { 'core.t': table(...keys) } }, 'core.t');
  if (found === undefined) throw new Error('no table');
  return sparkView('core.t', place, found).split('\n')[0] ?? '';
}

const VIEW = 'CREATE OR REPLACE TEMPORARY VIEW `core_t` USING parquet OPTIONS ';

it('names one file of a bucket by its s3a address', () => {
  expect(viewOf('s3://bucket/x', 'v=1/core/t/a.parquet')).toBe(`${VIEW}(path 's3a://bucket/x/v=1/core/t/a.parquet');`);
});

it('names several files by one glob', () => {
  expect(viewOf('/shared', 'v=1/a', 'v=2/b')).toBe(`${VIEW}(path 'file:/shared/{v=1/a,v=2/b}');`);
});

it('escapes names for the glob and for SQL', () => {
  expect(viewOf("/it's", 'v=1/{a,*}')).toBe(String.raw`${VIEW}(path 'file:/it\'s/v=1/\\{a\\,\\*\\}');`);
});

it('finds no table by the name of a property of objects', () => {
  const database = { key: 'v=1/market.duckdb', bytes: 1, sha256: 'x' };
  expect(filesOf('/shared', { format: 1, build: '1', database, tables: {} }, 'constructor')).toBeUndefined();
});
