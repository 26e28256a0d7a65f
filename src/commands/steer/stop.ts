import type { Command } from 'commander';
import { examples } from '../../terminal/context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { say } from '../../terminal/print.js';

/** `tidemark stop`: ends a run after the requests in flight. Keeps fetched records and the market's current night. */
export function registerStop(program: Command): void {
  addPickOptions(
    program
      .command('stop')
      .description(
        'end a run after its requests in flight; fetched records are kept, the current night of its market does not change',
      ),
  )
    .addHelpText('after', examples('tidemark stop', 'tidemark stop --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { stopSignal }) => {
        await run.signal(stopSignal);
        say(`${run.workflowId}: ends after its requests in flight, then loads and publishes the fetched records.`);
      });
    });
}
