import { defineConfig } from 'vitest/config';

// The projects. The needs of a test file decide its project. The README says which tests to run when.
// unit               needs no process, no warehouse, no measured memory and no wrapped module; takes seconds
// integration        needs a warehouse, the CLI or the sandbox as a process, or a browser
// integration-alone  as integration, but each test file runs in its own process
// e2e                needs a Temporal server, an API server and workers; some tests kill workers
// long               the slowest tests: many faults, long waits, large markets; not part of `npm test`
const UNIT = [
  'test/{conformance,schemas,workflows}/**/*.test.ts',
  'test/sandbox/**/!(docs-chromium|hostile-memory|keys|oauth|oauth-chromium|server|webhook-other-language|world).test.ts',
  'test/src/{api-client,drift,identifiers,login,network,planner,progress,request-log,resolve}/**/*.test.ts',
  'test/src/core/!(company-id|redact|folder-identity|files|lock|stored-key).test.ts',
  'test/src/crawl/**/!(long-listing|null-filter|unusable-answers).test.ts',
  'test/src/landing/!(power-cut).test.ts',
];
const E2E = ['test/e2e/**/*.test.ts'];
// These wrap modules, measure the memory of their process, or leave timers of a Temporal client behind. Each has its own
// process, as the end-to-end tests do.
const ALONE = [
  'test/security/**/*.test.ts',
  'test/src/commands/strict.test.ts',
  'test/src/core/files.test.ts',
  'test/src/crawl/long-listing.test.ts',
  'test/src/temporal/**/*.test.ts',
  'test/src/{landing,publish,webhook-receiver}/power-cut.test.ts',
];
const LONG = [
  'test/chaos/**/*.test.ts',
  'test/cluster/**/*.test.ts',
  'test/deploy/compose.test.ts',
  'test/e2e/{alerts,flooded,hostile-queries,bucket-commands,many-machines,standby,shared-limit,all-streams,backup,canary,cancelled,clock-ahead,continue-as-new,data-copy,employees,enrich,executives,full-disk,held-back,incomplete,json-answers,limit,metrics,new-user,night-states,operator,other-schema,owner-jobs,owner-jobs-upgrade,ownership,payees,personal-data,quota,quota-gate,refused,remainder-nights,replay,resolve,resolve-scores,restored-folder,schedules,second-demo,sources,status,stub-faults,stub-watch,terminated,tracing,two-folders,up-explorer,worker-versioning,worker-versions,writer-killed,wrong-bucket}.test.ts',
  'test/docs/site.test.ts',
  'test/engines/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/fuzz/bodies/bodies.test.ts',
  'test/repo/installed-on-nodes.test.ts',
  'test/src/commands/demo/run-demo.test.ts',
  'test/sandbox/{docs-chromium,hostile-memory,oauth-chromium}.test.ts',
  'test/src/builds/switch.test.ts',
  'test/src/commands/{advice,damaged-disks,diff/diff,doctor/versitygw,init,login,models/{apply,own-macros},published/copy,quarantine,upgrade}.test.ts',
  'test/src/crawl/null-filter.test.ts',
  'test/src/data-copy/{copy-data,versitygw}.test.ts',
  'test/src/fx/load-rates.test.ts',
  'test/src/load/{drift-together,read-again}.test.ts',
  'test/src/models/{order-independence,watch-events,dbt/dbt-core,own/build-own}.test.ts',
  'test/src/publish/{apply-models,incremental,publish-lakes,random-nights}.test.ts',
  'test/src/replay/{carry-models,compact,rebuild}.test.ts',
  'test/src/replay/forget/*.test.ts',
  'test/src/remote/{copy-build,failures,versitygw}.test.ts',
  'test/src/storage/{versitygw,wrong-answers}.test.ts',
  'test/src/webhook-receiver/two-receivers.test.ts',
  'test/src/ui/explorer-chromium.test.ts',
];
// These run in both: in `npm test` with fewer cases.
const LONG_TOO = [
  'test/src/models/unchanged.test.ts',
  'test/src/load/{failing-parts,hostile-bodies}.test.ts',
  'test/e2e/worker-killed.test.ts',
  'test/src/crawl/long-listing.test.ts',
  'test/src/planner/plan.test.ts',
  'test/src/ui/hostile-queries.test.ts',
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
      MANGLED_PARTS: '30',
      KILLED_BY: 'SIGKILL,SIGTERM',
      LONG_LISTING: '30000',
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
