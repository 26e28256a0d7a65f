import type { Command } from 'commander';
import { BACKFILL_STREAMS } from '../../../schemas/streams/streams.js';
import { parseStreams } from '../terminal/parse-streams.js';
import { examples, loadContext } from '../context.js';
import { addRunOptions, followOptions, type RunOptions } from './run-options.js';

/** `tidemark backfill`: fetches data of past days, if the API can report it by date. */
export function registerBackfill(program: Command): void {
  const backfill = program
    .command('backfill')
    .summary('fetch past tenders, watch events and financials')
    .description('fetch the data of past days: tenders, watch events, contact metrics, yearly financials')
    .requiredOption('--from <day>', 'first day, YYYY-MM-DD')
    .requiredOption('--to <day>', 'last day, YYYY-MM-DD')
    .option(
      '--streams <list>',
      `comma-separated: ${BACKFILL_STREAMS.join(', ')}; default all, but financials_v1 only if a market names it`,
    )
    .option('--market <name>', 'only this market of tidemark.yaml; default all');
  addRunOptions(backfill)
    .addHelpText(
      'after',
      examples('tidemark backfill --from 2026-11-01 --to 2026-11-07 --streams tenders,watch_events'),
    )
    .action(
      async (
        options: RunOptions & { from: string; to: string; streams?: string; market?: string },
        command: Command,
      ) => {
        const context = await loadContext(command);
        const [{ parseSpan }, { runAndFollow }, { backfillStreams, pickMarket }, { backfillId }, { BackfillStream }] =
          await Promise.all([
            import('../terminal/dates.js'),
            import('./run-and-follow.js'),
            import('../../config/config.js'),
            import('../../../workflows/ids.js'),
            import('../../../schemas/pipeline/run.js'),
          ]);
        const { from, to } = parseSpan(options, context.clock);
        const picked = options.market === undefined ? null : pickMarket(context.config, options.market);
        const market = picked?.name ?? null;
        const configured = backfillStreams(picked === null ? context.config.markets : [picked]);
        const streams =
          options.streams === undefined ? configured : parseStreams(options.streams, BackfillStream.options);
        const shown = [
          ...(options.streams === undefined ? [] : ['--streams', streams.join(',')]),
          ...(market === null ? [] : ['--market', market]),
        ];
        await runAndFollow(
          context,
          {
            type: 'backfill',
            workflowId: backfillId({ from, to, streams, market }),
            input: { from, to, streams, ...(market === null ? {} : { market }) },
            market,
            date: null,
            summary: `Backfill ${from}..${to}: ${streams.join(', ')}`,
            details:
              'Fetches data that the API can report by date. Skips all other data, because it would show the state of today under a past date.',
          },
          followOptions(options, ['tidemark backfill --from', from, '--to', to, ...shown].join(' ')),
        );
      },
    );
}
