import { readResults } from '../report/page.js';
import { report } from '../report/report.js';
import type { BenchResult } from '../report/result.js';
import { readLargest, readRows } from './read-runs.js';
import { readSettings, type CapacitySettings } from './settings.js';
import { capacityTables } from './tables.js';

/**
 * Computes what large markets need, from the saved results of `capacity-runs`. Compares the model with the saved result
 * of `scale`. `CAPACITY_SETTINGS` names a file with other assumptions and prices.
 */
export async function benchCapacity(): Promise<void> {
  const file = process.env['CAPACITY_SETTINGS'];
  report({
    bench: 'capacity',
    settings: file === undefined ? {} : { CAPACITY_SETTINGS: file },
    rounds: 1,
    computedFrom: ['capacity-runs', 'scale'],
    tables: tablesOf(readResults(), readSettings(file)),
  });
}

/** Makes the tables from saved results. */
export function tablesOf(results: ReadonlyMap<string, BenchResult>, settings: CapacitySettings) {
  const [runs, scale] = [results.get('capacity-runs'), results.get('scale')];
  if (runs === undefined || scale === undefined)
    throw new Error('Save the results first: BENCH_SAVE=1 npm run bench -- capacity-runs scale');
  return capacityTables(
    { runs: readRows(runs, ['runs', 'CPU', 'memory', 'copies']), control: readLargest(scale) },
    settings,
  );
}
