import { InvalidArgumentError, type Command } from 'commander';
import { MOST_IN_FLIGHT } from '../../core/config-schema.js';
import { TidemarkError } from '../../core/errors.js';
import { examples, loadContext } from '../../terminal/context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { parseCount } from '../../terminal/port-options.js';
import { say } from '../../terminal/print.js';

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
      await withRunning(command, options, async (run, { setConcurrencySignal }) => {
        await run.signal(setConcurrencySignal, requests);
        say(
          `${run.workflowId}: ${requests === 0 ? `${maxConcurrency} (the configured number)` : requests} requests in flight, from the next chunk on.`,
        );
      });
    });
}
