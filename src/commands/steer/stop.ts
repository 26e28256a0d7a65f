import type { Command } from 'commander';
import { examples } from '../../terminal/context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { sayResult } from '../../terminal/print.js';

/**
 * `tidemark stop`: ends a run when its requests in flight are answered. Keeps the fetched records. The market's current
 * night does not change.
 */
export function registerStop(program: Command): void {
  addPickOptions(
    program
      .command('stop')
      .summary('end a run early and keep what it fetched')
      .description(
        'end a run when its requests in flight are answered; keep the fetched records and the current night',
      ),
  )
    .addHelpText('after', examples('tidemark stop', 'tidemark stop --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { stopSignal }) => {
        await run.signal(stopSignal);
        sayResult(
          options,
          { workflowId: run.workflowId, signal: 'stop' },
          `${run.workflowId}: sends no more requests. The run then loads and publishes the fetched records.`,
        );
      });
    });
}
