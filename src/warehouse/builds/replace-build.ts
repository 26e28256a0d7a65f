import { TidemarkError } from '../../base/errors.js';
import { giveCheckpoint } from '../duckdb/checkpoint.js';
import { assertWriter } from '../duckdb/writer.js';
import { copyPublished, type CopyConfig } from './copy-published.js';
import type { Data } from '../../store/data.js';

/**
 * Makes the current build the only one in the bucket, and the warehouse file the only checkpoint. Does nothing if the
 * data is in a folder. Call it only as the writer.
 * @throws StorageError, LeaseLostError; TidemarkError `Internal` when an older build could not be removed
 */
export async function replaceBuild(config: CopyConfig, data: Data, what: string): Promise<void> {
  const lease = await assertWriter(data);
  if (lease === undefined || !data.isShared()) return;
  const fault = (await copyPublished(config, data, { what, keepSeconds: 0 }))?.pruneFault ?? null;
  if (fault !== null)
    throw new TidemarkError('Internal', `Older builds could not be removed from ${config.publish.to}: ${fault}`, {
      todo: 'Run the command again.',
      retryable: true,
    });
  await giveCheckpoint(data, lease);
}
