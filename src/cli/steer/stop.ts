import type { Command } from 'commander';
import { examples } from '../context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { sayResult } from '../terminal/print.js';

/**
 * `tidemark stop`: ends a run when its requests in flight are answered. Keeps the fetched records. The market's current
 * night does not change. Terminates a run whose version has no worker; the next run lands its answers.
 */
export function registerStop(program: Command): void {
  addPickOptions(
    program
      .command('stop')
      .summary('end a run early and keep what it fetched')
      .description(
        'end a run when its requests in flight are answered; keep the fetched records and the current night; if no worker has the version of the run, end it at once',
      ),
  )
    .addHelpText('after', examples('tidemark stop', 'tidemark stop --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { stopSignal }, client) => {
        const { endStranded } = await import('../../temporal/versions.js');
        if (await endStranded(client, run))
          return sayResult(
            options,
            { workflowId: run.workflowId, signal: 'terminate' },
            `${run.workflowId}: ended at once, because its version has no worker. The next run lands and loads what it fetched.`,
          );
        await run.signal(stopSignal);
        sayResult(
          options,
          { workflowId: run.workflowId, signal: 'stop' },
          `${run.workflowId}: sends no more requests. The run then loads and publishes the fetched records.`,
        );
      });
    });
}
