import { expect, it } from 'vitest';
import { temporaryDataDir } from '../../helpers/warehouse.js';
import { fuzzBodies } from './fuzz.js';

// A part of `npm run fuzz:bodies`. The seed is fixed, so a failure is caused by the change under test.
it('loads 4,000 mutated bodies without a crash, wrong row or unexplained reject', async () => {
  const report = await fuzzBodies(temporaryDataDir(), { runs: 4_000, seed: 20_261_120 });
  expect(report.faults).toEqual([]);
  // Bodies must pass the client; otherwise nothing after it is tested.
  expect(report.taken).toBeGreaterThan(2_000);
  expect(report.rows).toBeGreaterThan(4_000);
  expect(report.rejects).toBeGreaterThan(1_500);
});
