import { InvalidArgumentError, type Command } from 'commander';
import { MOST_IN_FLIGHT } from '../core/config-schema.js';
import { examples } from './context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { parseCount } from './port-options.js';
import { say } from './print.js';

function parseInFlight(text: string): number {
  const count = parseCount(text);
  if (count <= MOST_IN_FLIGHT) return count;
  throw new InvalidArgumentError(`Must be a whole number from 0 to ${MOST_IN_FLIGHT}.`);
}

/** `tidemark concurrency`: requests in flight of a run that is under way. */
export function registerConcurrency(program: Command): void {
  addPickOptions(
    program
      .command('concurrency')
      .description('requests in flight of a run, from its next chunk on; 0: as configured')
      .argument('<requests>', `how many at once, at most \`api.maxConcurrency\``, parseInFlight),
  )
    .addHelpText('after', examples('tidemark concurrency 4', 'tidemark concurrency 0 --market nordics'))
    .action(async (requests: number, options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { setConcurrencySignal }) => {
        await run.signal(setConcurrencySignal, requests);
        say(
          `${run.workflowId}: ${requests === 0 ? 'as many as configured' : requests} at once, from the next chunk on.`,
        );
      });
    });
}
