import type { Command } from 'commander';
import { examples } from '../context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { sayResult } from '../terminal/print.js';

/** `tidemark pause`: pauses a run before its next chunk, until `resume`. */
export function registerPause(program: Command): void {
  addPickOptions(
    program
      .command('pause')
      .summary('pause a run until `tidemark resume`')
      .description('pause a run before its next chunk, until `tidemark resume`'),
  )
    .addHelpText('after', examples('tidemark pause', 'tidemark pause --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { pauseSignal }) => {
        await run.signal(pauseSignal);
        sayResult(
          options,
          { workflowId: run.workflowId, signal: 'pause' },
          `${run.workflowId}: pauses before its next chunk. Continue it with: tidemark resume --run ${run.workflowId}`,
        );
      });
    });
}
