import { TidemarkError } from '../../base/errors.js';
import { giveCheckpoint } from '../duckdb/checkpoint.js';
import { assertWriter, writerOf } from '../duckdb/writer.js';
import { copyPublished, type CopyConfig } from './copy-published.js';

/**
 * Makes the current build the only one in the bucket, and the warehouse file the only checkpoint. Does nothing if the
 * data is in a folder. Call it only as the writer.
 * @throws StorageError, LeaseLostError; TidemarkError `Internal` when an older build could not be removed
 */
export async function replaceBuild(config: CopyConfig, what: string): Promise<void> {
  await assertWriter(config.dataDir);
  const writer = writerOf(config.dataDir);
  if (writer === undefined) return;
  const { copy, lease } = writer;
  const fault = (await copyPublished(config, { what, keepSeconds: 0 }))?.pruneFault ?? null;
  if (fault !== null)
    throw new TidemarkError('Internal', `Older builds could not be removed from ${config.publish.to}: ${fault}`, {
      todo: 'Run the command again.',
      retryable: true,
    });
  await giveCheckpoint(copy, lease);
}
