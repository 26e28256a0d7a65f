import { collectGarbage } from '../src/core/heap.js';
import type { CrawlDeps } from '../src/crawl/deps.js';
import { planDrafted, planStream } from '../src/crawl/run/plan-stream.js';
import { withMoreMemory } from '../src/duckdb/more-memory.js';
import { openWarehouse, type Warehouse } from '../src/duckdb/open.js';
import { loadForRun } from '../src/load/load-for-run.js';
import { buildForRun } from '../src/models/build-for-run.js';
import { publish } from '../src/publish/publish.js';
import { copyOrDescribe } from '../src/remote/copy-published.js';
import { rebuildRange } from '../src/replay/rebuild-range.js';
import { casting } from './casting.js';
import type { WarehouseActivities } from './contract.js';
import { withHeartbeat } from './heartbeat.js';
import { reportTables } from './table-progress.js';

/**
 * Creates the activities of the warehouse queue. Each activity opens the warehouse file only while the activity runs.
 */
export function createWarehouseActivities(deps: Omit<CrawlDeps, 'client'>): WarehouseActivities {
  const { config, clock } = deps;
  const { dataDir, readers } = config;
  return casting(deps, {
    planDue: async (input) =>
      (await withHeartbeat(() => planDrafted(deps, input))) ??
      withWarehouse(dataDir, (warehouse) => planStream(deps, warehouse, input)),
    loadLanding: ({ run }) => withWarehouse(dataDir, (warehouse) => loadForRun(warehouse, dataDir, run)),
    buildModels: ({ run }) =>
      withWarehouse(dataDir, (warehouse) => buildForRun(warehouse, config, { run, now: clock.now() }), 'models'),
    publishWarehouse: async ({ run }) => {
      const build = await withWarehouse(
        dataDir,
        (warehouse) => publish(warehouse, dataDir, { run, now: clock.now(), readers, ...config.publish }),
        'publish',
      );
      // The publication is complete. A bucket that is down must neither undo it nor hold up the next run.
      const fault = await withHeartbeat(() => copyOrDescribe(config, `run ${run}`));
      return fault === null ? build : { ...build, notes: [...build.notes, fault] };
    },
    rebuildWarehouse: (input) =>
      withHeartbeat((heartbeat) =>
        rebuildRange(config, input, {
          now: clock.now(),
          onStep: (step) => heartbeat.report({ step, done: 0, total: null, requests: 0 }),
        }),
      ),
  });
}

/**
 * Opens the warehouse file for the duration of `work`, with heartbeats.
 * @param step name of a step that works on one table after the other; its heartbeats name the table
 */
function withWarehouse<T>(
  dataDir: string,
  work: (warehouse: Warehouse) => Promise<T>,
  step?: 'models' | 'publish',
): Promise<T> {
  return withHeartbeat(async (heartbeat) => {
    const stop = step === undefined ? () => undefined : reportTables(heartbeat, step);
    try {
      return await withOpen(dataDir, work);
    } finally {
      stop();
    }
  });
}

async function withOpen<T>(dataDir: string, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  collectGarbage();
  const warehouse = await openWarehouse(dataDir, { what: 'a worker' });
  try {
    return await withMoreMemory(warehouse.db, () => work(warehouse));
  } finally {
    await warehouse.close();
  }
}
