import { defineConfig } from 'vitest/config';

// Projects run one after the other. `e2e` starts Temporal servers, sandboxes and workers, each file its own, and kills some of
// them; three files at a time, since they mostly wait. `long` is not part of `npm test`: `npm run test:long`.
const common = {
  environment: 'node',
  pool: 'forks',
  // Waits on real servers and files, never on a measured duration: generous, so that a slow machine is no failure.
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;
const patient = { ...common, testTimeout: 300_000, hookTimeout: 300_000 };

// Minutes each: faults by the dozen, and waits as long as they are in production.
const LONG = ['test/chaos/**/*.test.ts', 'test/e2e/two-folders.test.ts', 'test/e2e/stub-faults.test.ts'];

const projects = [
  {
    test: {
      ...common,
      name: 'unit',
      include: ['test/**/*.test.ts'],
      exclude: ['test/e2e/**', 'test/chaos/**'],
      maxWorkers: 2,
      sequence: { groupOrder: 0 },
    },
  },
  {
    test: {
      ...patient,
      name: 'e2e',
      include: ['test/e2e/**/*.test.ts'],
      exclude: LONG,
      maxWorkers: 3,
      sequence: { groupOrder: 1 },
    },
  },
];
const long = { test: { ...patient, name: 'long', include: LONG, maxWorkers: 2, sequence: { groupOrder: 2 } } };

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    projects: process.env['TEST_LONG'] ? [...projects, long] : projects,
  },
});
