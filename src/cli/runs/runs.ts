import { Option, type Command } from 'commander';
import { examples } from '../context.js';
import { parseCount } from '../terminal/port-options.js';
import { tell } from '../terminal/print.js';
import { printRows, withPublished } from '../with-published.js';

const SQL = `
SELECT date, workflow_type AS type, market, outcome, held_back IS NOT NULL AS held_back, strftime(started_at, '%Y-%m-%d %H:%M:%S') AS started,
  date_diff('second', started_at, finished_at) AS seconds, requests, rows, workflow_id, note, run_id
FROM ops.runs
ORDER BY started_at DESC
LIMIT $limit`;

/** `tidemark runs`: lists past runs with start time and outcome. Asks Temporal how runs without an end ended. */
export function registerRuns(program: Command): void {
  program
    .command('runs')
    .summary('list past runs, newest first')
    .description('list the runs in the published warehouse, newest first')
    .addOption(new Option('--limit <runs>', 'number of runs to show').argParser(parseCount).default(20))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark runs --limit 5'))
    .action(async (options: { limit: number; json?: boolean }, command: Command) => {
      await withPublished(command, async (published, { config }) => {
        const { columns, rows } = await published.query(SQL, { params: { limit: options.limit } });
        const shownAt = columns.indexOf('outcome');
        const text = (row: (typeof rows)[number], column: string): string => {
          const value = row[columns.indexOf(column)];
          return typeof value === 'string' ? value : '';
        };
        const running = rows.filter((row) => row[shownAt] === 'running');
        const { askFates } = await import('../ask-fates.js');
        const { outcomes, fault } = await askFates(
          config.dataDir,
          running.map((row) => ({ workflowId: text(row, 'workflow_id'), run: text(row, 'run_id') })),
        );
        const shown = rows.map((row) =>
          row.map((value, i) => (i === shownAt ? (outcomes.get(text(row, 'run_id')) ?? value) : value)),
        );
        printRows(
          { columns: columns.slice(0, -1), rows: shown.map((row) => row.slice(0, -1)) },
          { json: options.json ?? false, empty: 'The published warehouse has no run yet.' },
        );
        if (fault !== null) tell(fault);
      });
    });
}
