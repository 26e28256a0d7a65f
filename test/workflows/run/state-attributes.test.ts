import { expect, it } from 'vitest';
import { COVERAGE_ATTRIBUTE, OUTCOME_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import { roundedCoverage } from '../../../workflows/run/state-attributes.js';

it.each([
  [1200 / 1274, 0.9419],
  [0.999_99, 0.9999],
  [1, 1],
  [0, 0],
])('rounds the coverage %d down to %d', (share, shown) => {
  expect(roundedCoverage({ key: COVERAGE_ATTRIBUTE, value: share })).toMatchObject({ value: shown });
});

it('does not change other attributes', () => {
  const outcome = { key: OUTCOME_ATTRIBUTE, value: 'partial' };
  expect(roundedCoverage(outcome)).toBe(outcome);
});
