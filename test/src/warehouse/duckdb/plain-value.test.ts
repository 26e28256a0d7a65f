import {
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBUUIDValue,
} from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { toPlain } from '../../../../src/warehouse/duckdb/plain-value.js';

it('keeps JSON values and names numbers that JSON lacks', () => {
  expect([null, true, 'a', 1.5, NaN, -Infinity].map(toPlain)).toEqual([null, true, 'a', 1.5, 'NaN', '-Infinity']);
});

it.each([
  [0n, 0],
  [-9007199254740991n, -9007199254740991],
  [9007199254740992n, '9007199254740992'],
  [-9007199254740993n, '-9007199254740993'],
])('writes the integer %s exactly', (value, plain) => {
  expect(toPlain(value)).toBe(plain);
});

it.each([
  [123456789012345n, 2, 1234567890123.45],
  [-123456789012345n, 2, -1234567890123.45],
  [1234567890123456n, 2, '12345678901234.56'],
  [-1234567890123456n, 2, '-12345678901234.56'],
  [123456789012345n, 15, 0.123456789012345],
  [1234567890123456n, 16, '0.1234567890123456'],
])('writes a decimal of at most 15 digits as a number: %s', (value, scale, plain) => {
  expect(toPlain(new DuckDBDecimalValue(value, 18, scale))).toBe(plain);
});

it('writes an instant in UTC', () => {
  const micros = BigInt(Date.parse('2026-11-20T02:03:04Z')) * 1_000n;
  expect(toPlain(new DuckDBTimestampTZValue(micros))).toBe('2026-11-20T02:03:04Z');
});

it('converts the values in lists, structs and maps', () => {
  expect(toPlain(new DuckDBListValue([1n, 9007199254740993n]))).toEqual([1, '9007199254740993']);
  expect(toPlain(new DuckDBStructValue({ a: 1n, b: null }))).toEqual({ a: 1, b: null });
  const map = new DuckDBMapValue([
    { key: 'a', value: 1n },
    { key: 2n, value: new DuckDBListValue([3n]) },
  ]);
  expect(toPlain(map)).toEqual({ a: 1, 2: [3] });
});

it('writes any other value as text', () => {
  expect(toPlain(DuckDBUUIDValue.fromUint128(0n))).toBe('00000000-0000-0000-0000-000000000000');
});
