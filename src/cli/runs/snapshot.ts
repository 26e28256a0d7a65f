import type { Command } from 'commander';
import type { MarketConfig } from '../../config/config.js';
import { examples, loadContext } from '../context.js';
import { say, sayJson, tell } from '../terminal/print.js';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { addRunOptions, followOptions, type RunOptions } from './run-options.js';

const EXIT_CODES = `
Exit code:
  0  the market is complete (companies that entered, left or moved during the run are ignored)
  1  one of these:
     - the run failed, or an operator stopped it
     - the market is incomplete (\`tidemark coverage\` shows the gaps)
     - the night missed the publish thresholds (\`minCoverage\`, \`maxDrop\`), so the last good night stays current
     - the API refused a stream; the result names it
     - with \`--strict\`: the run is partial for any reason
  2  wrong usage
  130  Ctrl-C; the run continues`;

interface SnapshotOptions extends RunOptions {
  market?: string;
  date?: string;
  dryRun?: boolean;
}

/** `tidemark snapshot`: runs the workflow `marketSnapshot` and follows it. */
export function registerSnapshot(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .summary('take a snapshot of a market and follow its run')
    .description('take a snapshot of a market and follow its run; if a run is already open, follow that run')
    .option('--market <name>', 'market of tidemark.yaml; may be omitted if there is only one market')
    .option('--date <day>', "logical date, YYYY-MM-DD; default today in the schedule's time zone")
    .option('--dry-run', 'forecast requests, quota days and time per stream; sends only a few dozen requests');
  addRunOptions(snapshot)
    .addHelpText('after', EXIT_CODES)
    .addHelpText(
      'after',
      examples(
        'tidemark snapshot',
        'tidemark snapshot --dry-run',
        'tidemark snapshot --market nordics --date 2026-11-20 --json',
      ),
    )
    .action(async (options: SnapshotOptions, command: Command) => {
      const context = await loadContext(command);
      const [{ pickMarket }, { runDate }, { runAndFollow }] = await Promise.all([
        import('../../config/config.js'),
        import('../terminal/dates.js'),
        import('./run-and-follow.js'),
      ]);
      const market = pickMarket(context.config, options.market);
      const date = runDate(options.date, market.schedule?.timezone ?? 'UTC', context.clock);
      const { missingWarehouse, REPLAY } = await import('../../warehouse/load/missing-warehouse.js');
      const missing = await missingWarehouse(context.config);
      if (missing !== null && !options.json) tell(`Warning: ${missing}. ${REPLAY}`);
      if (options.dryRun) {
        const { forecastSnapshot, renderForecast } = await import('./snapshot-forecast.js');
        const forecast = await forecastSnapshot(context, market.name, date);
        if (options.json) sayJson(forecast);
        else say(renderForecast(forecast));
        return;
      }
      const again = `tidemark snapshot --market ${market.name} --date ${date}`;
      await runAndFollow(context, await snapshotRequest(market, date), followOptions(options, again));
    });
}

/** Request for the run of one market and date. */
export async function snapshotRequest(market: MarketConfig, date: string): Promise<RunRequest> {
  const { snapshotId } = await import('../../../workflows/ids.js');
  return {
    type: 'marketSnapshot',
    workflowId: snapshotId(market.name, date),
    input: { market: market.name, date },
    market: market.name,
    date,
    summary: `Snapshot of market ${market.name}, ${date}`,
    details: `Searches the market, fetches due records (${market.streams.join(', ')}), loads, builds the models and publishes. "Current details" shows the progress.`,
  };
}
