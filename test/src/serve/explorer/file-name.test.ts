import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileName, tablesOf } from '../../../../ui/src/lib/file-name.js';

it('names a file by what it holds and by the night', () => {
  expect(fileName(['companies', 'country', 'DE', 'employees_from', '50'], '2026-11-24', 'csv')).toBe(
    'companies-country-DE-employees_from-50-2026-11-24.csv',
  );
  expect(fileName(['companies', 'industry', 'Leisure & Entertainment'], '', 'parquet')).toBe(
    'companies-industry-Leisure-Entertainment.parquet',
  );
  expect(fileName([], '2026-11-24', 'csv')).toBe('result-2026-11-24.csv');
});

it('makes a safe name of any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (parts) => {
      const name = fileName(parts, '2026-11-24', 'csv');
      expect(name).toMatch(/^[\p{L}\p{N}_+][\p{L}\p{N}_+.-]*-2026-11-24\.csv$/u);
      expect(name.length).toBeLessThan(220);
    }),
  );
});

it('finds the tables of a query', () => {
  expect(tablesOf('FROM marts.companies LIMIT 100')).toEqual(['marts.companies']);
  expect(
    tablesOf('SELECT * FROM core.companies c JOIN ops.nights USING (x) JOIN core.companies d ON true, (FROM range(3))'),
  ).toEqual(['core.companies', 'ops.nights']);
  expect(tablesOf('SELECT 1')).toEqual([]);
});
