import { TidemarkError } from '../../base/errors.js';
import type { TemporalClient } from '../../temporal/connect.js';
import { tell } from '../terminal/print.js';

const WITHIN_MS = 3_000;

/**
 * Asks Temporal whether a run is open, and says the answer. If Temporal does not answer, the landing zone then shows unfinished runs.
 * @param dataDir data folder whose dev server may run; null for none
 * @throws TidemarkError `InvalidInput` if a run is open
 */
export async function refuseOpenRuns(dataDir: string | null): Promise<void> {
  const [{ connectTemporal }, { connectForFolder }] = await Promise.all([
    import('../../temporal/connect.js'),
    import('../../temporal/connect-folder.js'),
  ]);
  let temporal: TemporalClient;
  try {
    temporal =
      dataDir === null
        ? await connectTemporal(null, undefined, WITHIN_MS)
        : await connectForFolder(dataDir, 'read', { withinMs: WITHIN_MS });
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return tell(`! ${error.message} So only the landing zone says whether a run is open.`);
  }
  try {
    const { listOpenRuns } = await import('../../temporal/runs/open-runs.js');
    const open = await listOpenRuns(temporal.client);
    if (open.length === 0) return tell('Temporal has no open run.');
    throw new TidemarkError('InvalidInput', `${open.length === 1 ? 'A run is' : `${open.length} runs are`} open.`, {
      todo: 'Wait for the end, or run `tidemark stop`. `tidemark status` shows open runs. `tidemark schedule pause` keeps new ones away.',
    });
  } finally {
    await temporal.close();
  }
}
