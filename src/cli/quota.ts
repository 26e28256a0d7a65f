import type { Command } from 'commander';
import { examples, loadContext } from './context.js';
import { say, sayJson } from './terminal/print.js';
import { sayTable } from './terminal/say-table.js';
import { printQuery, withPublished } from './with-published.js';

const SQL = `
SELECT metric, used, total, CASE WHEN total > 0 THEN total - used END AS remaining, read_at
FROM ops.quota
QUALIFY row_number() OVER (PARTITION BY metric ORDER BY read_at DESC) = 1
ORDER BY metric`;

/** `tidemark quota`: shows the API's usage metrics, from the last run or, with `--live`, from the API. */
export function registerQuota(program: Command): void {
  program
    .command('quota')
    .summary("show the API's quota and its usage")
    .description("show the API's quota and its usage, as the latest run read them")
    .option('--live', 'ask the API now (one request)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark quota', 'tidemark quota --live --json'))
    .action(async (options: { live?: boolean; json?: boolean }, command: Command) => {
      if (options.live) return showLive(command, options.json ?? false);
      await withPublished(command, async (published) => {
        await printQuery(published, SQL, {
          json: options.json ?? false,
          empty: 'No run has read the usage metrics yet. With --live, the command asks the API now.',
        });
      });
    });
}

async function showLive(command: Command, json: boolean): Promise<void> {
  const { config, clock } = await loadContext(command);
  const { openApi } = await import('./api.js');
  const api = openApi(config, clock);
  try {
    const { data } = await api.call(async (client) => client.v2.metrics());
    const rows = data.flatMap((group) =>
      group.metrics.map((metric) => ({
        group: group.codename ?? group.name ?? '',
        metric: metric.codename,
        used: metric.used,
        total: metric.total,
      })),
    );
    if (json) sayJson(rows);
    else if (rows.length === 0) say('The API reports no usage metrics.');
    else {
      const columns = ['group', 'metric', 'used', 'total'] as const;
      sayTable({ columns, rows: rows.map((row) => columns.map((column) => row[column])) });
    }
  } finally {
    await api.close();
  }
}
