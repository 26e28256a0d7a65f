import { benchLanding } from './landing.js';
import { benchParquetWriter } from './parquet-writer.js';
import { benchCrawl } from './crawl/run.js';
import { benchTimeline } from './crawl/timeline.js';
import { benchDrift } from './drift.js';
import { benchPlanner } from './planner/run.js';
import { benchSandbox } from './sandbox.js';
import { benchModels } from './models.js';
import { benchNights } from './nights/run.js';
import { benchFinancials } from './financials/run.js';
import { benchLongListing } from './long-listing.js';
import { benchWarehouse } from './warehouse.js';
import { benchLimits } from './limits.js';
import { benchRequests } from './requests/run.js';
import { benchResolve } from './resolve.js';
import { benchSearchRequests } from './search-requests.js';
import { benchFlood } from './flood.js';
import { benchExplorer } from './explorer/run.js';
import { benchPublish } from './publish.js';
import { benchWorkers } from './workers/run.js';
import { benchStartup } from './startup.js';
import { benchCompare } from './compare/run.js';
import { benchScale } from './scale/run.js';
import { benchAfterLanding } from './after-landing/run.js';
import { benchCapacity } from './capacity/run.js';
import { benchCapacityRuns } from './capacity/run-runs.js';

/**
 * `npm run bench` runs all benchmarks; `npm run bench -- parquet-writer` runs one. Compare only ratios within one run;
 * see docs/performance.md.
 */
const benches: Record<string, () => Promise<void>> = {
  startup: benchStartup,
  compare: benchCompare,
  landing: benchLanding,
  'parquet-writer': benchParquetWriter,
  planner: benchPlanner,
  sandbox: benchSandbox,
  'search-requests': benchSearchRequests,
  requests: benchRequests,
  crawl: benchCrawl,
  timeline: benchTimeline,
  workers: benchWorkers,
  'long-listing': benchLongListing,
  resolve: benchResolve,
  financials: benchFinancials,
  limits: benchLimits,
  drift: benchDrift,
  'after-landing': benchAfterLanding,
  models: benchModels,
  nights: benchNights,
  warehouse: benchWarehouse,
  publish: benchPublish,
  scale: benchScale,
  'capacity-runs': benchCapacityRuns,
  capacity: benchCapacity,
  explorer: benchExplorer,
  flood: benchFlood,
};

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : Object.keys(benches)) {
  const bench = benches[name];
  if (!bench) throw new Error(`no benchmark "${name}"; there are: ${Object.keys(benches).join(', ')}`);
  await bench();
}
