import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { PartitionFile } from '../../schemas/pipeline/activities.js';
import { partitionsDir } from '../core/data-folder.js';
import { makeFolder } from '../core/files.js';
import type { Database } from '../duckdb/database.js';
import { LandingCorruptError } from '../duckdb/errors.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { withMoreMemory } from '../duckdb/more-memory.js';
import { openWarehouse } from '../duckdb/open.js';
import { loadLanding } from '../load/load.js';
import { keepRejects } from '../load/reject-files.js';
import { buildModel, putSettings } from '../models/build-model.js';
import { MODEL_SCHEMAS, readModels } from '../models/models.js';
import { workingCopyOf } from '../working-copy/open.js';
import { dividedModels, rowsOf } from './divide.js';
import { nameOf, readPlan, type Rebuild } from './plan.js';

/** Input of `buildPartition`. */
export interface PartitionRequest extends Rebuild {
  /** Number of the partition, from 0. */
  index: number;
  /** Folder with the user's own models. */
  modelsDir?: string | undefined;
  /** Aborts when the work is no longer wanted. The call then ends before the next model. */
  signal?: AbortSignal | undefined;
  /** Called when a step begins. */
  onStep?: (step: 'load' | 'models') => void;
}

/**
 * Builds one partition of a rebuild in its own DuckDB file: loads the rows of its companies, and builds the divided
 * models from them. Each call writes a new file. So a call that was given up can never change the file of another one.
 * @returns the file, for `combinePartitions`
 * @throws TidemarkError, retryable, as `readPlan`; ModelFailedError
 */
export async function buildPartition(dataDir: string, request: PartitionRequest): Promise<PartitionFile> {
  const { id, index } = request;
  const name = `${String(index).padStart(4, '0')}-${randomUUID().slice(0, 8)}.duckdb`;
  const file = path.join(partitionsDir(dataDir, id), name);
  try {
    await makeFolder(path.dirname(file));
    await fill(dataDir, file, request);
    const copy = workingCopyOf(dataDir);
    const content = copy === undefined ? null : await copy.give(file);
    if (copy !== undefined) removeDatabase(file);
    return { name, content };
  } catch (error) {
    removeDatabase(file);
    throw error;
  }
}

async function fill(dataDir: string, file: string, request: PartitionRequest): Promise<void> {
  const { index, onStep = () => undefined } = request;
  const plan = await readPlan(dataDir, request);
  const planned = new Set(plan.parts);
  const warehouse = await openWarehouse(dataDir, { file });
  const { db } = warehouse;
  try {
    onStep('load');
    await loadLanding(warehouse, dataDir, {
      isWanted: (part) => planned.has(nameOf(part)),
      rows: rowsOf(index, plan.of),
      keepRejects,
      keepFiles: true,
    }).catch((error: unknown) => {
      // The writer tries the damaged parts again, and reports them.
      if (!(error instanceof LandingCorruptError)) throw error;
    });
    onStep('models');
    await buildDivided(db, request);
    await db.run('CREATE TABLE main.partition AS SELECT $index AS index, $software AS software', {
      index,
      software: plan.software,
    });
  } finally {
    await warehouse.close();
  }
}

async function buildDivided(db: Database, { modelsDir, personalData, signal }: PartitionRequest): Promise<void> {
  await putSettings(db, { personalData });
  for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const models = await dividedModels(await readModels(modelsDir));
  for (const model of models) {
    signal?.throwIfAborted();
    await withMoreMemory(db, () => db.transaction(() => buildModel(db, model, 'whole', new Map())));
  }
  await db.run('CREATE TABLE main.models (model VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL)');
  await insertRows(db, 'main.models', { model: 'VARCHAR', fingerprint: 'VARCHAR' }, models);
}

function removeDatabase(file: string): void {
  for (const name of [file, `${file}.wal`, `${file}.tmp`]) rmSync(name, { recursive: true, force: true });
}
