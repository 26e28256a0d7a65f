import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { warehouseFile } from '../../store/data-folder.js';
import { makeFolder } from '../../store/files.js';
import { openWarehouse } from './open.js';

// The bytes of a warehouse file with all tables and without rows.
let empty: Promise<Uint8Array> | undefined;

/**
 * Writes an empty warehouse file into a new data folder. Only the first call in a process makes the tables; later calls
 * write a copy. So it makes many temporary warehouses faster than `openWarehouse`.
 */
export async function writeEmptyWarehouse(dataDir: string): Promise<void> {
  empty ??= makeEmptyWarehouse();
  const file = warehouseFile(dataDir);
  await makeFolder(path.dirname(file));
  await writeFile(file, await empty, { flag: 'wx' });
}

async function makeEmptyWarehouse(): Promise<Uint8Array> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-empty-'));
  try {
    await (await openWarehouse(folder)).close();
    return readFileSync(warehouseFile(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
