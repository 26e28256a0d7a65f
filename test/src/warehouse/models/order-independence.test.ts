import * as fc from 'fast-check';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { answer, nights } from '../../../helpers/random-answers.js';
import { land, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

// Not compared: these tables contain the time of the build.
const ABOUT_THE_BUILD = new Set(['ops.checks', 'meta.models', 'meta.model_changes']);

describe('order independence of the warehouse', () => {
  test('builds the same tables for any order and batches of loading', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 40, maxLength: 80 }),
        fc.infiniteStream(fc.nat()),
        async (answers, random) => {
          const all = [...answers.flatMap((each) => each), ...nights];
          const atOnce = await snapshot([all]);
          const piecemeal = await snapshot(shuffleIntoSteps(all, random));
          expect(piecemeal).toEqual(atOnce);
        },
      ),
      // Few runs with many answers, because opening a warehouse takes most of the time.
      { numRuns: 4, endOnFailure: true },
    );
  });
});

function shuffleIntoSteps(answers: Answer[], random: fc.Stream<number>): Answer[][] {
  const next = (below: number) => (random.next().value as number) % below;
  const steps: Answer[][] = [[], [], []];
  for (const each of answers) {
    const step = steps[next(3)] ?? [];
    step.splice(next(step.length + 1), 0, each);
  }
  return steps;
}

/** Every published table after landing, loading and building step by step. */
async function snapshot(steps: Answer[][]): Promise<Record<string, unknown[]>> {
  const dataDir = temporaryDataDir();
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    for (const step of steps) {
      await land(dataDir, step);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
    }
    return await readTables(warehouse);
  } finally {
    await warehouse.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function readTables(warehouse: Warehouse): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { model } of await readModels()) {
    if (ABOUT_THE_BUILD.has(model)) continue;
    // Loads number the contents of years in their order.
    const columns = model === 'base.report_years' ? '* EXCLUDE (content_id)' : '*';
    tables[model] = await warehouse.db.rows(`SELECT ${columns} FROM ${model} ORDER BY ALL`);
  }
  return tables;
}
