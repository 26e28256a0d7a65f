import type { Command } from 'commander';
import { examples } from '../context.js';
import { addPickOptions, withRunning, type PickOptions } from './pick-run.js';
import { sayResult } from '../terminal/print.js';

/** `tidemark resume`: resumes a paused run. */
export function registerResume(program: Command): void {
  addPickOptions(program.command('resume').description('continue a paused run'))
    .addHelpText('after', examples('tidemark resume', 'tidemark resume --market nordics'))
    .action(async (options: PickOptions, command: Command) => {
      await withRunning(command, options, async (run, { resumeSignal }) => {
        await run.signal(resumeSignal);
        sayResult(options, { workflowId: run.workflowId, signal: 'resume' }, `${run.workflowId}: continues.`);
      });
    });
}
