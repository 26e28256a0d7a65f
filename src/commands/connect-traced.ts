import type { Config } from '../core/config.js';
import { connectTemporal, type TemporalClient } from '../temporal/connect.js';
import { tell } from '../terminal/print.js';
import { loadTracing } from '../tracing/load-tracing.js';

/**
 * Connects a client to Temporal. If the configuration switches tracing on, starts, signals and updates of the client
 * become spans; `close` sends the last spans. Call it at most once per process.
 * @throws TidemarkError when Temporal does not answer within 5 s
 */
export async function connectTraced(config: Config): Promise<TemporalClient> {
  const tracing = await loadTracing(config, 'tidemark', (message) => tell(`! ${message}`));
  if (tracing === null) return connectTemporal(config.dataDir);
  try {
    const { traceCalls } = await import('../temporal/tracing.js');
    const temporal = await connectTemporal(config.dataDir, traceCalls(tracing));
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
