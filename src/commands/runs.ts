import { Option, type Command } from 'commander';
import { examples } from '../terminal/context.js';
import { parseCount } from '../terminal/port-options.js';
import { printQuery, withPublished } from '../terminal/with-published.js';

const SQL = `
SELECT date, workflow_type AS type, market, outcome, held_back IS NOT NULL AS held_back, strftime(started_at, '%Y-%m-%d %H:%M:%S') AS started,
  date_diff('second', started_at, finished_at) AS seconds, requests, rows, workflow_id, note
FROM ops.runs
ORDER BY started_at DESC
LIMIT $limit`;

/** `tidemark runs`: lists past runs with start time and outcome. */
export function registerRuns(program: Command): void {
  program
    .command('runs')
    .summary('list past runs, newest first')
    .description('list the runs in the published warehouse, newest first')
    .addOption(new Option('--limit <runs>', 'number of runs to show').argParser(parseCount).default(20))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark runs --limit 5'))
    .action(async (options: { limit: number; json?: boolean }, command: Command) => {
      await withPublished(command, async (published) =>
        printQuery(published, SQL, {
          json: options.json ?? false,
          empty: 'The published warehouse has no run yet.',
          params: { limit: options.limit },
        }),
      );
    });
}
