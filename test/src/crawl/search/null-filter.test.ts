import { expect, it } from 'vitest';
import { searchSandbox } from '../../../helpers/search-sandbox.js';

async function search(flags: Record<string, string | number>) {
  const { coverage, rows } = await searchSandbox({ flags: { companies: 1_500, seed: 3, ...flags } });
  const guesses = rows.filter(({ request_key }) => request_key.includes('"company_incorporation":null'));
  return { coverage, guesses };
}

it('finds companies without a date by null where the API supports it', async () => {
  const { coverage, guesses } = await search({ 'incorporation-null': 'select' });
  expect(coverage).toMatchObject({ missing: 0, share: 1 });
  expect(guesses.length).toBeGreaterThan(1);
  expect(guesses.every(({ status }) => status === 200)).toBe(true);
});

it.each(['refuse', 'ignore'])('tries null as date only once if the API would %s it', async (meaning) => {
  const { coverage, guesses } = await search({ 'incorporation-null': meaning });
  expect(guesses).toHaveLength(1);
  expect((coverage?.distinctCompanies ?? 0) + (coverage?.missing ?? 0)).toBe(coverage?.reportedTotal);
});
