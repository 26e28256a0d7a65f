import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CaseRunner } from '../../src/warehouse/models/cases/run-case.js';
import { readCases } from '../../src/warehouse/models/cases/read-cases.js';

// Add a case to a file of cases/, or add a file; nothing changes here. `tidemark models test` runs them, too.
const cases = readCases([path.join(import.meta.dirname, 'cases')]);

const runner = new CaseRunner();
afterAll(() => runner.close());

test.each(cases)('$file: $name', async (testCase) => {
  expect((await runner.run(testCase)).failures).toEqual([]);
});
