import { defineConfig } from 'vitest/config';

// Which project a test belongs to is told by what it needs; the README says which to run when.
// unit         no process and no warehouse of its own, no measured memory, no wrapped module. Its files share processes.
// integration  a warehouse, the CLI or the sandbox as a process, a browser
// e2e          a Temporal server, a sandbox and workers, some of which are killed
// long         the slowest of them, faults by the dozen, and waits as long as in production: not part of `npm test`
const UNIT = [
  'test/{conformance,schemas,workflows}/**/*.test.ts',
  'test/sandbox/!(hostile-memory|keys|oauth|oauth-chromium|server|webhook-other-language).test.ts',
  'test/src/{api-client,drift,ledger,planner,progress,resolve}/**/*.test.ts',
  'test/src/core/!(company-id|data-folder|files|lock).test.ts',
  'test/src/crawl/!(long-listing|null-door).test.ts',
  'test/src/landing/!(power-cut).test.ts',
];
const E2E = ['test/e2e/**/*.test.ts'];
const LONG = [
  'test/chaos/**/*.test.ts',
  'test/e2e/{cancelled,quota-gate,remainder-nights,replay,stub-faults,two-folders,writer-killed}.test.ts',
];

const common = {
  environment: 'node',
  pool: 'forks',
  // More than the two cores that CI has: many tests wait, and others work meanwhile.
  maxWorkers: 3,
  // Waits on real servers and files, never on a measured duration: generous, so that a slow machine is no failure.
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;
const patient = { ...common, testTimeout: 300_000, hookTimeout: 300_000 };

// They run in the order of their names, without a pause between them: those that wait most come first.
const projects = [
  { test: { ...patient, name: 'e2e', include: E2E, exclude: LONG } },
  { test: { ...common, name: 'integration', include: ['test/**/*.test.ts'], exclude: [...UNIT, ...E2E, ...LONG] } },
  { test: { ...common, name: 'unit', include: UNIT, isolate: false } },
];
const long = { test: { ...patient, name: 'long', include: LONG, maxWorkers: 2, sequence: { groupOrder: 1 } } };

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    projects: process.env['TEST_LONG'] ? [...projects, long] : projects,
  },
});
