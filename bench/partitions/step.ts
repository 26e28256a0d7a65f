import { statSync } from 'node:fs';
import { replayFile, warehouseFile } from '../../src/core/data-folder.js';
import { withMoreMemory } from '../../src/duckdb/more-memory.js';
import { openWarehouse } from '../../src/duckdb/open.js';
import { loadLanding } from '../../src/load/load.js';
import { buildModels } from '../../src/models/run-models.js';
import { buildPartition } from '../../src/partitions/build-partition.js';
import { combinePartitions } from '../../src/partitions/combine.js';
import { planPartitions } from '../../src/partitions/plan.js';
import { publish } from '../../src/publish/publish.js';
import type { PartitionFile } from '../../schemas/pipeline/activities.js';

/** What to do in a process of its own. `files`: results of `partition`. */
export type Step =
  | { name: 'whole' | 'publish' }
  | { name: 'partition'; index: number; of: number }
  | { name: 'combine'; of: number; files: PartitionFile[] };

/** CPU seconds and peak memory of the process, and what the step made. */
export interface Measured {
  cpu: number;
  mib: number;
  /** Size of the warehouse file in MiB; 0 for other steps than `whole`. */
  warehouseMiB: number;
  file: PartitionFile | null;
}

const NOW = new Date('2026-11-20T04:00:00Z');

/** Runs one step, and prints what it used. */
const [dataDir = '', text = ''] = process.argv.slice(2);
const file = await run(JSON.parse(text) as Step);
const { user, system } = process.cpuUsage();
const isWhole = (JSON.parse(text) as Step).name === 'whole';
const result: Measured = {
  cpu: (user + system) / 1e6,
  mib: process.resourceUsage().maxRSS / 1_024,
  warehouseMiB: isWhole ? statSync(warehouseFile(dataDir)).size / 2 ** 20 : 0,
  file,
};
process.stdout.write(`${JSON.stringify(result)}\n`);

async function run(step: Step): Promise<PartitionFile | null> {
  if (step.name === 'partition') {
    const rebuild = { id: `of-${step.of}`, personalData: false };
    await planPartitions(dataDir, rebuild, { of: step.of, isWanted: () => true });
    return buildPartition(dataDir, { ...rebuild, index: step.index });
  }
  const beside = step.name === 'combine' ? { file: replayFile(dataDir) } : {};
  const warehouse = await openWarehouse(dataDir, beside);
  const { db } = warehouse;
  try {
    if (step.name === 'publish') {
      await withMoreMemory(db, () => publish(warehouse, dataDir, { run: 'r', now: NOW }));
      return null;
    }
    const combined =
      step.name === 'combine'
        ? await combinePartitions(warehouse, dataDir, {
            id: `of-${step.of}`,
            personalData: false,
            files: step.files,
            rejectsIn: dataDir,
          })
        : undefined;
    await loadLanding(warehouse, dataDir);
    await withMoreMemory(db, () => buildModels(warehouse, { now: NOW, combined: combined?.models }));
    return null;
  } finally {
    await warehouse.close();
  }
}
