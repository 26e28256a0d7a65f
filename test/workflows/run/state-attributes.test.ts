import { expect, it } from 'vitest';
import { COVERAGE_ATTRIBUTE, OUTCOME_ATTRIBUTE, PHASE_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import { roundedCoverage, stateAttributes } from '../../../workflows/run/state-attributes.js';

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

it('states no coverage while its share is unknown', () => {
  const names = (share: number | null) =>
    stateAttributes({ phase: 'crawling' }, { reportedTotal: 10, distinctCompanies: 10, missing: 0, share }, [
      PHASE_ATTRIBUTE.name,
      COVERAGE_ATTRIBUTE.name,
    ]).map(({ key }) => key.name);
  expect(names(1)).toEqual([PHASE_ATTRIBUTE.name, COVERAGE_ATTRIBUTE.name]);
  expect(names(null)).toEqual([PHASE_ATTRIBUTE.name]);
});
