import { expect, it } from 'vitest';
import { filtersOf, sayGap } from '../../../../ui/src/lib/narrowest-search.js';

const STUCK = {
  missing: 295,
  class: 'unproven',
  filters: '{"company_status":[201]}',
  reason: 'The API counts 295 companies in this search that the run could not list.',
  stuck_filters:
    '{"company_status":[201],"nace":["58"],"company_incorporation":{"gte":"2025-06-25","lte":"2025-06-25"}}',
  stuck_split_by: 'number_of_employees, financial_turnover',
  stuck_total: 1295,
  stuck_shown: 1000,
  stuck_fixed: [],
  stuck_properties: ['company_incorporation', 'company_status', 'financial_turnover', 'nace', 'number_of_employees'],
};
const UNPROVEN = 'The API counts 295 companies in this search that the run could not list.';

it('says that no search tells companies apart, and names the narrowest search', () => {
  expect(sayGap(STUCK)).toBe(
    '1,295 companies share every value by which this run narrowed its search, and no property is left. The search shows only 1,000 of them, so 295 could not be listed.',
  );
  expect(filtersOf(STUCK)).toBe(STUCK.stuck_filters);
});

it.each([
  ['a property that the search did not use', { stuck_properties: [...STUCK.stuck_properties, 'legal_form'] }],
  ['a property with several values', { stuck_filters: STUCK.stuck_filters.replace('"58"', '"58","59"') }],
  [
    'a property with a range',
    { stuck_filters: STUCK.stuck_filters.replace('"lte":"2025-06-25"', '"lte":"2025-07-01"') },
  ],
  ['no such search', { stuck_filters: null }],
])('does not say so with %s', (_, change) => {
  expect(sayGap({ ...STUCK, ...change })).toBe(UNPROVEN);
});
