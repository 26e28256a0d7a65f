import { existsSync } from 'node:fs';
import { warehouseFile } from '../src/store/data-folder.js';
import { DamagedFileError } from '../src/store/disk-errors.js';
import { errorMessage } from '../src/base/errors.js';
import { collectGarbage } from '../src/base/heap.js';
import type { CrawlDeps, Heartbeat } from '../src/crawl/records/deps.js';
import { planDrafted, planStream } from '../src/crawl/run/plan-stream.js';
import { withMoreMemory } from '../src/warehouse/duckdb/more-memory.js';
import { openWarehouse, type Warehouse } from '../src/warehouse/duckdb/open.js';
import { loadForRun } from '../src/warehouse/load/load-for-run.js';
import { missingWarehouse } from '../src/warehouse/load/missing-warehouse.js';
import { buildForRun } from '../src/warehouse/models/build-for-run.js';
import { publish } from '../src/warehouse/publish/publish.js';
import { copyOrDescribe, copyPublished } from '../src/warehouse/builds/copy-published.js';
import { takeUnlessLost } from '../src/warehouse/builds/take-published.js';
import { LeaseLostError } from '../src/store/lease.js';
import { giveCheckpoint, isCheckpointDue } from '../src/warehouse/duckdb/checkpoint.js';
import type { Writer } from '../src/warehouse/duckdb/writer.js';
import { carryIntoNew } from '../src/maintenance/carry-models.js';
import { mustRemake, remakeWarehouse } from '../src/maintenance/rebuild.js';
import { rebuildRange } from '../src/maintenance/rebuild-range.js';
import type { ModelsResult, PublishResult } from '../schemas/pipeline/activities.js';
import type { RebuildResult } from '../schemas/pipeline/run.js';
import { casting } from './run/casting.js';
import type { WarehouseActivities } from './contract.js';
import { withHeartbeat } from './heartbeat.js';
import { reportTables } from './table-progress.js';

/** What the warehouse activities need. */
export interface WarehouseDeps extends Omit<CrawlDeps, 'client'> {
  /** The right to write the warehouse. Undefined if the data is in a folder: then each activity takes a lock. */
  writer?: Writer | undefined;
}

/** Sentences about a warehouse that was made again. The next publication reports them. */
type Remade = string[];

/**
 * Creates the activities of the warehouse queue. Each activity opens the warehouse file only while the activity runs.
 */
export function createWarehouseActivities(given: WarehouseDeps): WarehouseActivities {
  const deps = { ...given, remade: [] };
  const { data } = deps;
  return casting(deps, {
    planDue: async (input) =>
      (await withHeartbeat(() => planDrafted(deps, input))) ??
      withWarehouse(deps, (warehouse) => planStream(deps, warehouse, input)),
    loadEarly: ({ run }) =>
      withWarehouse(deps, async (warehouse) => {
        // The other threads are for the requests and their answers.
        await warehouse.db.run('SET threads = 1');
        return loadForRun(warehouse, data, run);
      }),
    loadLanding: ({ run }) => withWarehouse(deps, (warehouse) => loadForRun(warehouse, data, run)),
    buildModels: ({ run }) => withWarehouse(deps, (warehouse) => build(deps, warehouse, run), 'models'),
    publishWarehouse: ({ run }) => publishRun(deps, run),
    rebuildWarehouse: (input) => rebuild(deps, input),
  });
}

function rebuild({ config, data, clock, writer }: WarehouseDeps, input: unknown): Promise<RebuildResult> {
  return withHeartbeat(async (heartbeat) => {
    // The replay reads from the published build what models promise, if there is no warehouse.
    if (!existsSync(warehouseFile(config.dataDir))) await takeUnlessLost(config);
    const result = await rebuildRange({ config, data }, input, { now: clock.now(), onStep: reporter(heartbeat) });
    if (result.into !== '') return result;
    const fault = await giveBuild({ config, data, writer }, 'a rebuild', true);
    return fault === null ? result : { ...result, notes: [...result.notes, fault] };
  });
}

function reporter(heartbeat: Heartbeat): (step: 'load' | 'models' | 'publish') => void {
  return (step) => heartbeat.report({ step, done: 0, total: null, requests: 0 });
}

/** Publishes the warehouse after a run, and copies the build to the machines that read it. */
async function publishRun(deps: WarehouseDeps & { remade: Remade }, run: string): Promise<PublishResult> {
  const { config, clock, writer } = deps;
  const { dataDir, readers } = config;
  const { isRewritten, ...published } = await withWarehouse(
    deps,
    async (warehouse) => {
      if (writer?.isBehind) await build(deps, warehouse, run);
      return publish(warehouse, dataDir, { run, now: clock.now(), readers, ...config.publish });
    },
    'publish',
  );
  const isNewFile = isRewritten || deps.remade.length > 0;
  const fault = await withHeartbeat(() => giveBuild(deps, `run ${run}`, isNewFile));
  const notes = [...deps.remade.splice(0), ...published.notes, ...(fault === null ? [] : [fault])];
  return { ...published, notes };
}

/** Builds the models. If another machine wrote the warehouse before, first loads what was landed since the checkpoint. */
async function build(
  { config, data, clock, writer }: WarehouseDeps,
  warehouse: Warehouse,
  run: string,
): Promise<ModelsResult> {
  if (writer?.isBehind) await loadForRun(warehouse, data, run);
  const built = await buildForRun(warehouse, { config, data }, { run, now: clock.now() });
  if (writer !== undefined) writer.isBehind = false;
  return built;
}

/**
 * Gives the current build to the machines that read it.
 * - With the data in a folder, the publication is complete already. So a fault neither undoes it nor stops the next run.
 * - With the data in a bucket, other machines read only the bucket. So a fault fails the activity, and Temporal tries it
 *   again. Also gives a checkpoint of the warehouse, if the last one is a week old or the file was made again.
 * @returns a sentence about what was not given; the next publication gives it
 */
async function giveBuild(
  { config, data, writer }: Pick<WarehouseDeps, 'config' | 'data' | 'writer'>,
  what: string,
  isNewFile: boolean,
): Promise<string | null> {
  if (writer === undefined) return copyOrDescribe(config, data, what);
  await copyPublished(config, data, { what });
  try {
    if (!isNewFile && !(await isCheckpointDue(writer.copy.storage, Date.now()))) return null;
    await giveCheckpoint(writer.copy, writer.lease);
    return null;
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    return `There is no new checkpoint of the warehouse: ${errorMessage(error)} The next publication writes one.`;
  }
}

/**
 * Opens the warehouse file for the duration of `work`, with heartbeats.
 * @param step name of a step that works on one table after the other; its heartbeats name the table
 */
function withWarehouse<T>(
  deps: WarehouseDeps & { remade: Remade },
  work: (warehouse: Warehouse) => Promise<T>,
  step?: 'models' | 'publish',
): Promise<T> {
  return withHeartbeat(async (heartbeat) => {
    const stop = step === undefined ? () => undefined : reportTables(heartbeat, step);
    try {
      return await withOpen(deps, heartbeat, work);
    } finally {
      stop();
    }
  });
}

/**
 * Opens the warehouse for `work`. If the file is damaged, or other SQL made it, makes it again from the landing zone and
 * repeats `work` once.
 * @throws DamagedFileError when the new file is damaged, too
 */
async function withOpen<T>(
  { config, data, clock, log, remade }: WarehouseDeps & { remade: Remade },
  heartbeat: Heartbeat,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  try {
    return await openOnce({ config, data, log }, work);
  } catch (error) {
    if (!mustRemake(error, config)) throw error;
    log.warn(`${error.message} This worker makes the warehouse again from the landing zone.`);
    const notes = await remakeWarehouse({ config, data }, { now: clock.now(), onStep: reporter(heartbeat) });
    const why = error instanceof DamagedFileError ? 'The warehouse file was damaged.' : error.message;
    remade.push(`${why} The worker made it again from the landing zone.`, ...notes);
    log.warn(remade.join(' '));
    return openOnce({ config, data, log }, work);
  }
}

async function openOnce<T>(
  { config, data, log }: Pick<WarehouseDeps, 'config' | 'data' | 'log'>,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> {
  collectGarbage();
  const missing = await missingWarehouse(config);
  const warehouse = await openWarehouse(data, { what: 'a worker' });
  try {
    const isCarried = await carryIntoNew(warehouse.db, config);
    if (missing !== null && isCarried)
      log.warn(
        `The warehouse was lost: ${missing}. This run loads them all, and takes the set of models from the published build.`,
      );
    return await withMoreMemory(warehouse.db, () => work(warehouse));
  } finally {
    await warehouse.close();
  }
}
