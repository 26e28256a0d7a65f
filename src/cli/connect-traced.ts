import type { Config } from '../config/config.js';
import { connectForFolder, type FolderClient, type Purpose } from '../temporal/connect-folder.js';
import { tell } from './terminal/print.js';
import { loadTracing } from '../serve/tracing/load-tracing.js';

/**
 * Connects a client to Temporal for the data folder of a configuration (see `connectForFolder`). If tracing is on, starts,
 * signals and updates of the client become spans; `close` sends the last spans. Call it at most once per process.
 * @throws TidemarkError when Temporal does not answer within 5 s, or when the namespace belongs to another data folder
 */
export async function connectTraced(config: Config, purpose: Purpose = 'act'): Promise<FolderClient> {
  const tracing = await loadTracing('tidemark', (message) => tell(`! ${message}`));
  if (tracing === null) return connectForFolder(config.dataDir, purpose);
  try {
    const { traceCalls } = await import('../temporal/worker/tracing.js');
    const temporal = await connectForFolder(config.dataDir, purpose, { tracing: traceCalls(tracing) });
    const close = async (): Promise<void> => {
      await temporal.close();
      await tracing.stop();
    };
    return { ...temporal, close };
  } catch (error) {
    await tracing.stop();
    throw error;
  }
}
