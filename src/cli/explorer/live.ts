import type { LiveAnswer } from '../../../schemas/explorer/api.js';
import { resolveTemporal } from '../../temporal/connect.js';
import type { CliContext } from '../context.js';
import { askTemporal, progressLine } from '../status/status.js';
import { describeGate } from '../status/waits.js';

// The page must soon say that Temporal is down.
const LIMITS = { connectMs: 1_000, answerMs: 5_000 };

/** Reads what runs now, for the explorer. Never rejects: without a server, `error` says why. */
export async function readLive(context: Pick<CliContext, 'config' | 'clock'>): Promise<LiveAnswer> {
  const { namespace } = resolveTemporal(context.config.dataDir);
  const { temporal, running, gates, next, workers } = await askTemporal(context, LIMITS);
  const leftOf = (id: string) => running.find(({ workflowId }) => workflowId === id)?.workLeft ?? [];
  return {
    ...temporal,
    namespace,
    running: running.map((run) => ({
      workflowId: run.workflowId,
      type: run.type,
      startedAt: run.startedAt,
      line: run.progress
        ? progressLine(run, run.progress, Date.now())
        : 'The run does not answer. Check that a worker runs (`tidemark worker`).',
    })),
    waiting: gates.map((gate) => describeGate(gate, leftOf).join('\n')),
    next,
    warnings: workers,
  };
}
