import { subscribe } from 'node:diagnostics_channel';
import { statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as DataFolder from '../../src/store/data-folder.js';
import type * as Load from '../../src/warehouse/load/load.js';
import type * as Open from '../../src/warehouse/duckdb/open.js';
import type * as Publish from '../../src/warehouse/publish/publish.js';
import type * as RunModels from '../../src/warehouse/models/run-models.js';
import { peakMiB } from '../process-usage.js';
import { Data } from '../../src/store/data.js';

/*
 * A process that does the work of one night after landing, with the code of any clone of Tidemark:
 *
 *   node --import tsx night.ts <folder of the compiled code> <data folder> <run> <ISO instant>
 *
 * Prints a `NightCost` as JSON.
 */

/** What a night costs after landing. Times are CPU seconds of the process, start of the process left out. */
export interface NightCost {
  load: number;
  models: number;
  /** Without `flat`. */
  publish: number;
  /** Parquet files of the views of all values: core.financials, core.financials_history and core.indicators. */
  flat: number;
  /** Elapsed seconds of all this. */
  seconds: number;
  peakMiB: number;
  /** Size of the published file. */
  fileMiB: number;
}

const FLAT = /^core\.(financials|financials_history|indicators) \(Parquet\)$/;

async function main([build = '', dataDir = '', run = '', now = '']: readonly string[]): Promise<NightCost> {
  const code = <T>(file: string): Promise<T> => import(pathToFileURL(path.join(build, 'src', file)).href) as Promise<T>;
  const { openWarehouse } = await code<typeof Open>('warehouse/duckdb/open.js');
  const { loadLanding } = await code<typeof Load>('warehouse/load/load.js');
  const { buildModels } = await code<typeof RunModels>('warehouse/models/run-models.js');
  const { publish } = await code<typeof Publish>('warehouse/publish/publish.js');
  const { publishedFile } = await code<typeof DataFolder>('store/data-folder.js');
  const flat = cpuOfTables(FLAT);
  const begun = performance.now();
  const steps = [cpu()];
  const warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  steps.push(cpu());
  await buildModels(warehouse, { now: new Date(now) });
  steps.push(cpu());
  await publish(warehouse, dataDir, { run, now: new Date(now), graceSeconds: 0, keep: 1 });
  // In some versions, the publication closes the warehouse.
  await warehouse.close().catch(() => undefined);
  steps.push(cpu());
  const [load = 0, models = 0, all = 0] = steps.slice(1).map((at, i) => at - (steps[i] ?? 0));
  return {
    load,
    models,
    publish: all - flat(),
    flat: flat(),
    seconds: (performance.now() - begun) / 1_000,
    peakMiB: peakMiB(process.pid),
    fileMiB: statSync(publishedFile(dataDir)).size / 2 ** 20,
  };
}

/** CPU seconds that this process has used. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Sums the CPU seconds from the begin of each table with such a name to the begin of the next. */
function cpuOfTables(name: RegExp): () => number {
  let sum = 0;
  let since: number | undefined;
  subscribe('tidemark:table-begun', (table) => {
    if (since !== undefined) sum += cpu() - since;
    since = name.test((table as { name: string }).name) ? cpu() : undefined;
  });
  return () => sum;
}

process.stdout.write(`${JSON.stringify(await main(process.argv.slice(2)))}\n`);
