import { expect, it } from 'vitest';
import { filtersOf, sayReason } from '../../../ui/src/lib/gap-reason.js';

const STUCK = {
  missing: 295,
  class: 'unproven',
  filters: '{"company_status":[201]}',
  reason: 'split by nace; root/company_status=201/nace=58: split by industry_focus',
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
  expect(sayReason(STUCK)).toBe(
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
  expect(sayReason({ ...STUCK, ...change })).toBe(UNPROVEN);
});

it.each([
  [
    'a search shows at most 1,000 companies, this one has 1,295, and no dimension is left to split it by',
    'A search with 1,295 companies cannot be split further. A search shows at most 1,000, so 295 of them cannot be listed.',
  ],
  [
    "the market's total changed while it was read (3,003 at first, 3,010 at the end)",
    'The total of the market changed during the run, from 3,003 to 3,010.',
  ],
  [
    "the market's total changed while it was read",
    '295 companies that the API counts were not listed. They were probably added, removed or moved during the run.',
  ],
  [
    'its pages list 3 of 5 companies, even when they are read a second time',
    'The API counts 5 companies in this search, but its pages list only 3.',
  ],
  ["the API refused the market's filters: no such status", 'The API refused the filters of the market.'],
  ['split by nace, then legal_form; the API refused legal_form 14', 'The API refused a part of this search.'],
  [
    'split by nace: these companies have no value by which a search can select them',
    '295 companies have no value by which a search could select them.',
  ],
  [
    'split by nace: these companies have no value by which a search can select them. The search stopped, because further companies would cost more than 1.5 requests each. So far, second passes found 3 companies',
    'The search stopped, because further companies would cost more than 1.5 requests each.',
  ],
  ['the crawl has not ended', 'The search has not ended.'],
  ['split by nace; root/nace=58: its pages list 3 of 5 companies', UNPROVEN],
])('says the reason "%s" in a sentence', (reason, sentence) => {
  expect(sayReason({ missing: 295, reason })).toBe(sentence);
});

it('does not count companies whose number is unknown', () => {
  expect(sayReason({ missing: 0, reason: 'split by nace' })).toBe(
    'This search is not proven to be complete, so companies may be missing.',
  );
});
