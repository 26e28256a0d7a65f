import { expect, it } from 'vitest';
import { renderCoverage } from '../../../../src/commands/snapshot/render-result.js';

it.each([
  [10_000, 10_000, 1, '10,000 of 10,000 companies (100 %)'],
  [9_998, 10_000, 0.9998, '9,998 of 10,000 companies (99.98 %), 2 missing'],
  [12_000, 12_000, null, '12,000 of at least 12,000 companies (share unknown)'],
  [11_990, 12_000, null, '11,990 of at least 12,000 companies (share unknown), 10 missing'],
])('shows %i of %i companies with the share %d', (distinctCompanies, reportedTotal, share, text) => {
  const missing = reportedTotal - distinctCompanies;
  expect(renderCoverage({ distinctCompanies, reportedTotal, missing, share })).toBe(text);
});
