import { expect, it } from 'vitest';
import { describeFilters } from '../../schemas/explorer/describe-filters.js';

const CODES = [
  { list: 'company_status', id: 201, name: 'Intermediate' },
  { list: 'ownership_types', id: '14', name: 'Other' },
  { list: 'countries', id: 1213, name: 'Ireland' },
  { list: 'countries', id: 201, name: 'Elsewhere' },
];

it.each([
  [{}, 'whole market'],
  [{ company_status: [201], legal_form: [14] }, 'status Intermediate (201), legal form Other (14)'],
  [{ location_countries: { include: [1213, 7] }, nace: ['58'] }, 'country Ireland (1213) or 7, NACE 58'],
  [{ nace: ['01', '02', '03', '05', '06'] }, 'NACE 01 or 02 or 03 or 2 more'],
  [{ company_incorporation: { gte: '2022-04-29', lte: '2024-09-26' } }, 'founded 2022-04-29 to 2024-09-26'],
  [{ company_incorporation: { gte: '2022-04-29', lte: '2022-04-29' } }, 'founded 2022-04-29'],
  [{ company_incorporation: { lte: '2022-04-28' } }, 'founded up to 2022-04-28'],
  [{ company_incorporation: null }, 'founded none stated'],
  [{ number_of_employees: { gte: 5 } }, 'employees from 5'],
  [{ some_new_filter: { exclude: [1] } }, 'some new filter {"exclude":[1]}'],
])('writes the filters %j', (filters, text) => {
  expect(describeFilters(JSON.stringify(filters), CODES)).toBe(text);
});

it('shows filters that are no JSON as they are', () => {
  expect(describeFilters('{"company_status":[2', CODES)).toBe('{"company_status":[2');
});
