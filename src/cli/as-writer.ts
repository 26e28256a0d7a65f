import { existsSync } from 'node:fs';
import { tableSettings } from '../config/config.js';
import { warehouseFile } from '../store/data-folder.js';
import { pullManifests, readManifests } from '../landing/index.js';
import { tell } from './terminal/print.js';
import { giveCheckpoint } from '../warehouse/duckdb/checkpoint.js';
import type { CliContext } from './context.js';
import { becomeWriter } from '../warehouse/duckdb/writer.js';

/**
 * What a command needs of the warehouse file when its work begins.
 * - `none`: the command does not change the file, or gives the checkpoint itself
 * - `any`: the command makes a new file
 * - `loaded`: every landed part is loaded
 * - `built`: as `loaded`, and the models are built from these parts
 * - `saved`: as `loaded`, and the newest checkpoint of the bucket has these parts
 */
export type Needed = 'none' | 'any' | 'loaded' | 'built' | 'saved';

type Opened = Pick<CliContext, 'config' | 'data'>;

/**
 * Runs the work of a command that writes the warehouse. With the data in a bucket, first asks the warehouse worker for
 * the lease and takes the newest checkpoint. Afterwards gives a new checkpoint, and the worker goes on. With the data in
 * a folder, only runs the work, which takes its own lock.
 * @param what such as `tidemark compact`; other processes show it while they wait
 * @throws StorageError, LeaseLostError: then the bucket keeps the checkpoint of before
 */
export async function asWriter<T>(
  { config, data }: Opened,
  { what, needs, now }: { what: string; needs: Needed; now: Date },
  work: () => Promise<T>,
): Promise<T> {
  if (!data.isShared()) return work();
  const onWait = (holder: string): void => tell(`Waiting until ${holder} lets this command write …`);
  const { lease } = await becomeWriter(data, { what, asks: true, onWait, onLost: tell });
  try {
    if (needs === 'none') return await work();
    await catchUp({ config, data }, needs, now);
    if (needs === 'saved') await giveCheckpoint(data, lease);
    const result = await work();
    await giveCheckpoint(data, lease);
    return result;
  } finally {
    await lease.release();
  }
}

/** Loads what was landed after the checkpoint. */
async function catchUp({ config, data }: Opened, needs: Needed, now: Date): Promise<void> {
  const { dataDir } = data;
  if (needs === 'any') return;
  await pullManifests(data);
  if (!existsSync(warehouseFile(dataDir)) && readManifests(dataDir, {}, () => undefined).length === 0) return;
  const [{ openWarehouse }, { loadLanding }, { carryIntoNew }] = await Promise.all([
    import('../warehouse/duckdb/open.js'),
    import('../warehouse/load/load.js'),
    import('../maintenance/carry-models.js'),
  ]);
  const warehouse = await openWarehouse(data);
  try {
    const isNew = await carryIntoNew(warehouse.db, config);
    await loadLanding(warehouse, data);
    if (needs !== 'built' && !isNew) return;
    const { buildModels } = await import('../warehouse/models/run-models.js');
    await buildModels(warehouse, { now, ...tableSettings(config, data) });
  } finally {
    await warehouse.close();
  }
}
