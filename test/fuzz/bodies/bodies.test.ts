import { expect, it } from 'vitest';
import { temporaryDataDir } from '../../helpers/warehouse.js';
import { fuzzBodies } from './fuzz.js';

// A share of what `npm run fuzz:bodies` does; the seed is fixed, so that a failure is one of the change under test.
it('loads 4,000 mutated bodies without a crash, wrong row or unexplained reject', async () => {
  const report = await fuzzBodies(temporaryDataDir(), { runs: 4_000, seed: 20_261_120 });
  expect(report.faults).toEqual([]);
  // The bodies must get past the first gate, or nothing behind it is tested.
  expect(report.taken).toBeGreaterThan(2_000);
  expect(report.rows).toBeGreaterThan(4_000);
  expect(report.rejects).toBeGreaterThan(1_500);
});
