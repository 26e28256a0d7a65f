import { expect, it } from 'vitest';
import { readCount } from '../../../../src/crawl/records/read-count.js';

it.each([
  [0, 0],
  [12, 12],
  ['12', 12],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Infinity, null],
  [NaN, null],
  [-1, null],
  [1.5, null],
  [1e300, null],
  ['9'.repeat(400), null],
  ['9999999999999999', null],
  ['-1', null],
  ['', null],
  [null, null],
  [undefined, null],
  [[5], null],
])('reads %j as a count: %j', (value, count) => {
  expect(readCount(value)).toBe(count);
});
