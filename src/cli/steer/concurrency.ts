import type { WorkflowHandle } from '@temporalio/client';
import { InvalidArgumentError, type Command } from 'commander';
import type * as Messages from '../../../workflows/messages.js';
import { MOST_IN_FLIGHT } from '../../../schemas/pipeline/limits.js';
import { TidemarkError } from '../../base/errors.js';
import { examples, loadContext } from '../context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { parseCount } from '../terminal/port-options.js';
import { sayResult } from '../terminal/print.js';

function parseInFlight(text: string): number {
  const count = parseCount(text);
  if (count <= MOST_IN_FLIGHT) return count;
  throw new InvalidArgumentError(`Must be a whole number from 0 to ${MOST_IN_FLIGHT}.`);
}

/** `tidemark concurrency`: sets how many requests a running workflow may have in flight. */
export function registerConcurrency(program: Command): void {
  addPickOptions(
    program
      .command('concurrency')
      .summary('set how many requests a run has in flight')
      .description(
        'set how many requests a run may have in flight, from its next chunk on; 0 means the configured number',
      )
      .argument('<requests>', `requests in flight, at most \`api.maxConcurrency\``, parseInFlight),
  )
    .addHelpText('after', examples('tidemark concurrency 4', 'tidemark concurrency 0 --market nordics'))
    .action(async (requests: number, options: PickOptions, command: Command) => {
      const { config } = await loadContext(command);
      const { maxConcurrency } = config.api;
      if (requests > maxConcurrency) {
        throw new TidemarkError(
          'InvalidInput',
          `Cannot set ${requests} requests in flight: api.maxConcurrency in ${config.file} allows ${maxConcurrency}.`,
          { todo: `Give at most ${maxConcurrency}, or raise api.maxConcurrency and restart the workers.` },
        );
      }
      await withRunning(command, options, async (run, messages) => {
        await setConcurrency(run, requests, messages);
        sayResult(
          options,
          { workflowId: run.workflowId, requests: requests === 0 ? maxConcurrency : requests },
          `${run.workflowId}: ${requests === 0 ? `${maxConcurrency} (the configured number)` : requests} requests in flight, from the next chunk on.`,
        );
      });
    });
}

const ANSWERS_WITHIN_MS = 10_000;

/**
 * Sets the requests in flight of a run.
 * @throws TidemarkError `InvalidInput` with the run's own message when it refuses the number
 */
async function setConcurrency(
  run: WorkflowHandle,
  requests: number,
  { setConcurrencyUpdate }: typeof Messages,
): Promise<void> {
  const { connection } = run.client;
  const until = Date.now() + ANSWERS_WITHIN_MS;
  const update = (): Promise<unknown> => run.executeUpdate(setConcurrencyUpdate, { args: [requests] });
  try {
    await connection.withDeadline(until, update);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    if (error.name === 'WorkflowUpdateFailedError') {
      const isOpening = cause.startsWith('No registered handler');
      const todo = isOpening
        ? 'The run is still opening. Repeat the command in a few seconds.'
        : `Give a number from 0 to \`api.maxConcurrency\` while the run crawls.`;
      throw new TidemarkError('InvalidInput', isOpening ? `${run.workflowId} does not send requests yet.` : cause, {
        todo,
        cause: error,
      });
    }
    if (error.name !== 'WorkflowUpdateRPCTimeoutOrCancelledError') throw error;
    throw new TidemarkError('Internal', `${run.workflowId} did not answer within ${ANSWERS_WITHIN_MS / 1_000} s.`, {
      todo: '`tidemark status` shows the number in force. Check that a worker runs (`tidemark worker`), then repeat the command.',
      cause: error,
    });
  }
}
