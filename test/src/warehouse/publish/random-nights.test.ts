import { expect, test } from 'vitest';
import { runRandomNights } from '../../../helpers/random-nights.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';

// `test/chaos/publish-nights.test.ts` runs 200 nights.
test('publishes the rows of the warehouse in 15 random nights with a kill -9', async () => {
  const report = await runRandomNights(temporaryDataDir(), {
    nights: 15,
    seed: 1,
    always: ['held back', 'publish', 'kill', 'model', 'switch back', 'restore', ...Array<'publish'>(8).fill('publish')],
    only: ['core.companies', 'core.company_codes', 'marts.market_members', 'marts.own_totals', 'ops.checks'],
  });
  expect(report.faults).toEqual([]);
});
