import { defineConfig } from 'vitest/config';

// The projects. The needs of a test file decide its project. The README says which tests to run when.
// unit               needs no process, no warehouse, no measured memory and no wrapped module; takes seconds
// integration        needs a warehouse, the CLI or the sandbox as a process, or a browser
// integration-alone  as integration, but each test file runs in its own process
// e2e                needs a Temporal server, an API server and workers; some tests kill workers
// long               the slowest tests: many faults, long waits, large markets; not part of `npm test`
const UNIT = [
  'test/{conformance,schemas,workflows}/**/*.test.ts',
  'test/sandbox/!(vat-numbers|docs-chromium|hostile-memory|keys|oauth-chromium|oauth-security|oauth|server|webhook-other-language|world).test.ts',
  'test/sandbox/{faults,http,state}/**/*.test.ts',
  'test/src/api/**/*.test.ts',
  'test/src/base/errors.test.ts',
  'test/src/base/{identifiers,json,network}/**/*.test.ts',
  'test/src/base/text/!(pasteable|redact).test.ts',
  'test/src/base/time/!(zoned-day).test.ts',
  'test/src/cli/login/!(login).test.ts',
  'test/src/cli/terminal/frame.test.ts',
  'test/src/config/!(stored-key).test.ts',
  'test/src/crawl/!(unusable-answers).test.ts',
  'test/src/crawl/{judge,records,run}/**/*.test.ts',
  'test/src/crawl/listings/!(long-listing).test.ts',
  'test/src/crawl/search/remainder.test.ts',
  'test/src/crawl/search/plan/**/*.test.ts',
  'test/src/crawl/streams/*.test.ts',
  'test/src/crawl/streams/{enrichments,matches,owners,people}/**/*.test.ts',
  'test/src/crawl/streams/payees/payees.test.ts',
  'test/src/landing/!(power-cut).test.ts',
  'test/src/privacy/without-personal-data.test.ts',
  'test/src/store/{data-folder,disk-errors,file-modes}.test.ts',
  'test/src/store/lock/holder.test.ts',
  'test/src/temporal/runs/run-state.test.ts',
  'test/src/warehouse/shapes/**/*.test.ts',
];
const E2E = ['test/e2e/**/*.test.ts'];
// These wrap modules, measure the memory of their process, or leave timers of a Temporal client behind. Each has its own
// process, as the end-to-end tests do.
const ALONE = [
  'test/security/**/*.test.ts',
  'test/src/base/time/zoned-day.test.ts',
  'test/src/cli/strict.test.ts',
  'test/src/crawl/listings/long-listing.test.ts',
  'test/src/landing/power-cut.test.ts',
  'test/src/serve/webhooks/power-cut.test.ts',
  'test/src/store/files.test.ts',
  'test/src/temporal/*.test.ts',
  'test/src/temporal/runs/runs.test.ts',
  'test/src/warehouse/duckdb/memory-limit.test.ts',
  'test/src/warehouse/publish/power-cut.test.ts',
];
const LONG = [
  'test/bootstrap/npm-test.test.ts',
  'test/sandbox/vat-numbers.test.ts',
  'test/{chaos,cluster,deploy,engines,examples,fuzz}/**/*.test.ts',
  'test/docs/site.test.ts',
  'test/e2e/!(dev-server|namespace|snapshot|stub-api|worker-killed).test.ts',
  'test/repo/installed-on-nodes.test.ts',
  'test/sandbox/{docs-chromium,hostile-memory,oauth-chromium}.test.ts',
  'test/src/cli/{advice,damaged-disks,quarantine}.test.ts',
  'test/src/cli/demo/run-demo.test.ts',
  'test/src/cli/{diff,init,upgrade}/**/*.test.ts',
  'test/src/cli/doctor/versitygw.test.ts',
  'test/src/cli/login/login.test.ts',
  'test/src/cli/models/{apply,own-macros}.test.ts',
  'test/src/cli/output/copy.test.ts',
  'test/src/crawl/search/null-filter.test.ts',
  'test/src/maintenance/{carry-models,rebuild}.test.ts',
  'test/src/maintenance/compact/**/*.test.ts',
  'test/src/maintenance/copy/!(kinds).test.ts',
  'test/src/maintenance/forget/!(forget-company|forget-search|forgotten-spool).test.ts',
  'test/src/serve/explorer/explorer-chromium.test.ts',
  'test/src/serve/webhooks/two-receivers.test.ts',
  'test/src/store/{versitygw,wrong-answers}.test.ts',
  'test/src/store/lock/race.test.ts',
  'test/src/warehouse/builds/{copy-build,failures,switch,versitygw}.test.ts',
  'test/src/warehouse/load/drift-together.test.ts',
  'test/src/warehouse/models/{order-independence,watch-events}.test.ts',
  'test/src/warehouse/models/dbt/dbt-core.test.ts',
  'test/src/warehouse/models/own/build-own.test.ts',
  'test/src/warehouse/publish/{apply-models,random-nights}.test.ts',
  'test/src/warehouse/rates/**/*.test.ts',
];
// These run in both: in `npm test` with fewer cases.
const LONG_TOO = [
  'test/e2e/stub-api.test.ts',
  'test/e2e/worker-killed.test.ts',
  'test/src/crawl/listings/long-listing.test.ts',
  'test/src/crawl/random-errors.test.ts',
  'test/src/crawl/search/plan/plan.test.ts',
  'test/src/serve/explorer/hostile-queries.test.ts',
  'test/src/warehouse/load/{failing-parts,hostile-bodies}.test.ts',
  'test/src/warehouse/models/unchanged.test.ts',
];

const common = {
  environment: 'node',
  pool: 'forks',
  // More than the two cores of the CI machine: while some tests wait, others work.
  maxWorkers: 4,
  // Only ends tests that hang. It is so long that no test fails because the machine is slow.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Test files share a process, so that a module is imported only once for many files.
  isolate: false,
  // One thread builds small tables faster, and several tests share the cores.
  env: { TIDEMARK_WAREHOUSE_THREADS: process.env['TIDEMARK_WAREHOUSE_THREADS'] ?? '1' },
} as const;

const OTHER = { include: ['test/**/*.test.ts'], exclude: [...UNIT, ...E2E, ...ALONE, ...LONG] };
// Projects run in the order of their names. Tests of the first project often wait, and tests of the others run meanwhile.
const projects = [
  { test: { ...common, name: 'e2e', include: E2E, exclude: LONG, isolate: true } },
  { test: { ...common, name: 'integration', ...OTHER } },
  { test: { ...common, name: 'integration-alone', include: ALONE, isolate: true } },
  { test: { ...common, name: 'unit', include: UNIT } },
];
const long = {
  test: {
    ...common,
    name: 'long',
    include: [...LONG, ...LONG_TOO],
    env: {
      ...common.env,
      TIDEMARK_TEST_COMPANIES: '40',
      UNCHANGED_RUNS: '8',
      HOSTILE_BODIES: 'all',
      STUB_IDS: 'all',
      MANGLED_PARTS: '30',
      KILLED_BY: 'SIGKILL,SIGTERM',
      LONG_LISTING: '30000',
      RANDOM_ERRORS: '200',
      TIDEMARK_TEST_EFFORT: '2',
      HOSTILE_QUERIES: 'all',
    },
    isolate: true,
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
};

export default defineConfig({
  test: {
    projects: process.env['TEST_LONG'] ? [...projects, long] : projects,
  },
});
