import type { Command } from 'commander';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { examples, loadContext } from '../context.js';
import { addRunOptions, followOptions, type RunOptions } from './run-options.js';

/** `tidemark tenders`: runs the workflow `tenderSnapshot` and follows it. */
export function registerTenders(program: Command): void {
  const tenders = program
    .command('tenders')
    .description('take a snapshot of the tenders and follow it')
    .option(
      '--date <day>',
      'logical date, YYYY-MM-DD; default today; a past date reads only the tenders created on that day',
    );
  addRunOptions(tenders)
    .addHelpText('after', examples('tidemark tenders', 'tidemark tenders --date 2026-11-19'))
    .action(async (options: RunOptions & { date?: string }, command: Command) => {
      const context = await loadContext(command);
      const [{ runDate }, { runAndFollow }] = await Promise.all([
        import('../terminal/dates.js'),
        import('./run-and-follow.js'),
      ]);
      const date = runDate(options.date, context.config.tenders?.schedule?.timezone ?? 'UTC', context.clock);
      await runAndFollow(
        context,
        await tendersRequest(date),
        followOptions(options, `tidemark tenders --date ${date}`),
      );
    });
}

/** Request for the tender run of one date. */
export async function tendersRequest(date: string): Promise<RunRequest> {
  const { tendersId } = await import('../../../workflows/ids.js');
  return {
    type: 'tenderSnapshot',
    workflowId: tendersId(date),
    input: { date },
    market: null,
    date,
    summary: `Tenders, ${date}`,
    details:
      'Reads the nomenclatures and the list of tenders, fetches tender details, loads, builds the models and publishes.',
  };
}
