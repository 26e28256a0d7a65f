import { expect, test } from 'vitest';
import { runRandomNights } from '../helpers/random-nights.js';
import { temporaryDataDir } from '../helpers/warehouse.js';

const NIGHTS = Number(process.env['TIDEMARK_TEST_NIGHTS'] ?? 200);
const SEED = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1);

test(`publishes the rows of the warehouse in ${NIGHTS} random nights`, { timeout: 3_600_000 }, async () => {
  const report = await runRandomNights(temporaryDataDir(), { nights: NIGHTS, seed: SEED });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.faults).toEqual([]);
});
