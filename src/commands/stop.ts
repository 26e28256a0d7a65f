import type { Command } from 'commander';
import { examples } from './context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { say } from './print.js';

/** `tidemark stop`: ends a run after the requests in flight. Keeps fetched records and the market's current night. */
export function registerStop(program: Command): void {
  addPickOptions(
    program
      .command('stop')
      .description('end a run after what is in flight: what it fetched is kept, its market stays as it was'),
  )
    .addHelpText('after', examples('tidemark stop', 'tidemark stop --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { stopSignal }) => {
        await run.signal(stopSignal);
        say(`${run.workflowId}: ends after what is in flight, then loads and publishes what it fetched.`);
      });
    });
}
