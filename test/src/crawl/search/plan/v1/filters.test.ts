import { expect, it } from 'vitest';
import { toV1Filters } from '../../../../../../src/crawl/search/plan/v1/filters.js';

it('translates lists, ranges and places to version 1 filters', () => {
  const filters = {
    company_status: ['active'],
    activity_type: ['a'],
    legal_form: [8],
    company_type: ['x'],
    location_zip: ['8000'],
    number_of_employees: { gte: 5, lte: 10 },
    location_countries: { include: [1, '2'] },
    location_regions: { include: [7] },
  };
  expect(toV1Filters(filters)).toEqual({
    status: ['active'],
    activity_type: ['a'],
    ownership_type: [8],
    subsidiary_status: ['x'],
    zip: ['8000'],
    size: { from: 5, to: 10 },
    country: [1, 2],
    regions: [7],
  });
  expect(toV1Filters({})).toEqual({});
});

it('leaves a missing bound of a range open', () => {
  expect(toV1Filters({ number_of_employees: { gte: 0 } })).toEqual({ size: { from: 0 } });
  expect(toV1Filters({ number_of_employees: { lte: 0 } })).toEqual({ size: { to: 0 } });
  expect(toV1Filters({ number_of_employees: {} })).toEqual({ size: {} });
});

it.each([
  { company_name: ['a'] },
  { company_status: ['active'], company_name: 'a' },
  { company_status: 'active' },
  { number_of_employees: { gte: 5, unit: 'k' } },
  { number_of_employees: [5] },
  { number_of_employees: 5 },
  { number_of_employees: null },
  { location_countries: { include: [] } },
  { location_countries: { include: 1 } },
  { location_countries: { include: ['2_1463'] } },
  { location_countries: { include: [1, 1.5] } },
  { location_countries: { include: [1], exclude: [2] } },
  { location_countries: null },
  { location_countries: 1 },
])('cannot translate %j', (filters) => {
  expect(toV1Filters(filters)).toBeNull();
});
