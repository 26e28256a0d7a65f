import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { warehouseFile } from '../../store/data-folder.js';
import { makeFolder } from '../../store/files.js';
import type { Database } from '../duckdb/database.js';
import { openWarehouse } from '../duckdb/open.js';
import { modelsInForce } from './in-force.js';
import { readModels } from './models.js';
import { buildModels } from './run-models.js';
import { Data } from '../../store/data.js';

// Records of builds. A new warehouse has none: it takes those of the published build, and its first build adds others.
const RECORDS = [
  'base.models',
  'base.model_changes',
  'base.model_sets',
  'ledger.model_set_files',
  'ledger.model_texts',
];

// The bytes of an empty warehouse file.
let empty: Promise<Uint8Array> | undefined;

/**
 * Writes an empty warehouse file into a new data folder. It has all tables and shipped models, but no record that a model
 * was applied. Only the first call in a process makes it; later calls write a copy.
 */
export async function writeEmptyWarehouse(dataDir: string): Promise<void> {
  empty ??= makeEmptyWarehouse();
  const file = warehouseFile(dataDir);
  await makeFolder(path.dirname(file));
  await writeFile(file, await empty, { flag: 'wx' });
}

/** Makes the bytes of an empty warehouse file, as `writeEmptyWarehouse` writes it. */
export async function makeEmptyWarehouse(): Promise<Uint8Array> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-empty-'));
  try {
    const warehouse = await openWarehouse(new Data(folder));
    try {
      // Leave out models that will be removed on some day: a build drops only tables that it finds in the records.
      const { models } = modelsInForce(await readModels(), '9999-12-31');
      await buildModels(warehouse, { models });
      await removeRecords(warehouse.db);
    } finally {
      await warehouse.close();
    }
    return readFileSync(warehouseFile(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function removeRecords(db: Database): Promise<void> {
  for (const table of RECORDS) await db.run(`DELETE FROM ${table}`);
}
