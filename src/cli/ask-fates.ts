import { errorMessage } from '../base/errors.js';

/** A run that the published warehouse shows as running. */
export interface ShownRun {
  workflowId: string;
  run: string;
}

/** How runs ended since the last publication. */
export interface Fates {
  /** The outcomes of runs that have ended, by run. */
  outcomes: ReadonlyMap<string, string>;
  /** Why Temporal did not say; null if it did. */
  fault: string | null;
}

// The command must not wait long for a server that is down.
const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;

/**
 * Asks Temporal how runs ended that the published warehouse shows as running. A terminated run records no end, and the
 * warehouse learns of it from the next run. Never rejects. Sends no request if there are no such runs.
 */
export async function askFates(dataDir: string, runs: readonly ShownRun[]): Promise<Fates> {
  const outcomes = new Map<string, string>();
  if (runs.length === 0) return { outcomes, fault: null };
  const [{ connectForFolder }, { createRunFates }] = await Promise.all([
    import('../temporal/connect-folder.js'),
    import('../temporal/run-fates.js'),
  ]);
  try {
    const temporal = await connectForFolder(dataDir, 'read', { withinMs: CONNECT_MS });
    try {
      const { client } = temporal;
      await client.connection.withDeadline(Date.now() + ANSWER_MS, async () => {
        for (const shown of runs) {
          const fate = await createRunFates(client).of(shown);
          if (!fate.open) outcomes.set(shown.run, fate.outcome);
        }
      });
      return { outcomes, fault: null };
    } finally {
      await temporal.close();
    }
  } catch (error) {
    return { outcomes, fault: `Runs shown as running may have ended: ${errorMessage(error)}` };
  }
}
