import type { Command } from 'commander';
import type { Config, MarketConfig } from '../../config/config.js';
import { invalidInput } from '../../base/errors.js';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { examples, loadContext } from '../context.js';
import { addRunOptions, followOptions, type RunOptions } from '../runs/run-options.js';

interface EnrichOptions extends RunOptions {
  market?: string;
  date?: string;
}

/** `tidemark owners …`: jobs that let the API resolve owners. */
export function registerOwners(program: Command): void {
  const owners = program
    .command('owners')
    .description('find owners that the API does not know for certain')
    .addHelpText('after', examples('tidemark owners enrich', 'tidemark owners enrich --market nordics --no-wait'));
  registerEnrichOwners(owners);
}

/** `tidemark owners enrich`: runs the workflow `enrichOwners` and follows it. */
function registerEnrichOwners(owners: Command): void {
  const enrich = owners
    .command('enrich')
    .summary('start jobs for companies whose owners are uncertain')
    .description(
      'start a job for each company whose owners the API does not call conclusive, poll the jobs, then read the owners again; jobs may take days, and Ctrl-C only stops following',
    )
    .option('--market <name>', 'market of tidemark.yaml; may be omitted if there is only one market')
    .option('--date <day>', "logical date, YYYY-MM-DD; default today in the schedule's time zone");
  addRunOptions(enrich)
    .addHelpText(
      'after',
      examples(
        'tidemark owners enrich',
        'tidemark owners enrich --market nordics --no-wait',
        'tidemark sql "SELECT state, count(*) FROM core.owner_jobs GROUP BY state"',
      ),
    )
    .action(async (options: EnrichOptions, command: Command) => {
      const context = await loadContext(command);
      const [{ runDate }, { runAndFollow }] = await Promise.all([
        import('../terminal/dates.js'),
        import('../runs/run-and-follow.js'),
      ]);
      const market = await marketWithOwners(context.config, options.market);
      const date = runDate(options.date, market.schedule?.timezone ?? 'UTC', context.clock);
      const again = `tidemark owners enrich --market ${market.name} --date ${date}`;
      await runAndFollow(context, await ownersRequest(market.name, date), followOptions(options, again));
    });
}

/**
 * Returns the named market.
 * @throws TidemarkError `InvalidInput` when its snapshots do not fetch owners
 */
async function marketWithOwners(config: Config, name: string | undefined): Promise<MarketConfig> {
  const { pickMarket } = await import('../../config/config.js');
  const market = pickMarket(config, name);
  if (market.streams.includes('ownership')) return market;
  throw invalidInput(
    `Market ${market.name} does not fetch owners, so there are none to enrich.`,
    `Add \`ownership\` to its streams in ${config.file}, restart the workers, and run \`tidemark snapshot --market ${market.name}\`.`,
  );
}

async function ownersRequest(name: string, date: string): Promise<RunRequest> {
  const { ownersId } = await import('../../../workflows/ids.js');
  return {
    type: 'enrichOwners',
    workflowId: ownersId(name, date),
    input: { market: name, date },
    market: name,
    date,
    summary: `Owners of market ${name}, ${date}`,
    details:
      'Starts a job for each company whose owners are not conclusive, polls the jobs, reads the owners again, loads, builds the models and publishes. May take days.',
  };
}
