import type { Command } from 'commander';
import { TidemarkError } from '../core/errors.js';
import { renderCoverage } from './render-result.js';
import { examples } from './context.js';
import { say, sayJson } from './print.js';
import { withPublished } from './with-published.js';

interface CoverageRow {
  market: string;
  date: string;
  run: string;
  reported_total: number;
  distinct_companies: number;
  missing: number;
  share: number;
  why: string | null;
}

interface Shortfall {
  segment: string;
  filters: unknown;
  missing: number;
  reason: string;
}

const SQL = `
SELECT c.market, r.date, c.run, c.reported_total, c.distinct_companies, c.missing, c.share, c.why
FROM ops.coverage AS c
JOIN ops.runs AS r ON r.run_id = c.run
WHERE ($run IS NULL OR c.run = $run) AND ($market IS NULL OR c.market = $market)
QUALIFY $run IS NOT NULL OR row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC) = 1
ORDER BY c.market`;

/** `tidemark coverage`: how much of each market the last run reached, and what it did not. */
export function registerCoverage(program: Command): void {
  program
    .command('coverage')
    .description('how much of each market was reached, and by name what was not')
    .option('--market <name>', 'only this market')
    .option('--run <id>', 'of this run; default the last one of each market')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark coverage', 'tidemark coverage --market nordics --json'))
    .action(async (options: { market?: string; run?: string; json?: boolean }, command: Command) => {
      await withPublished(command, async (published) => {
        const rows = await published.objects<CoverageRow>(SQL, {
          run: options.run ?? null,
          market: options.market ?? null,
        });
        const found = rows.map((row) => ({
          ...row,
          why: row.why === null ? [] : (JSON.parse(row.why) as Shortfall[]),
        }));
        if (options.json) return sayJson(found);
        if (found.length === 0) {
          throw new TidemarkError('Internal', 'There is no coverage to show for that.', {
            todo: '`tidemark runs` lists the runs; a market has coverage after its first snapshot.',
          });
        }
        for (const row of found) say(describe(row));
      });
    });
}

function describe(row: Omit<CoverageRow, 'why'> & { why: Shortfall[] }): string {
  const { reported_total: reportedTotal, distinct_companies: distinctCompanies, missing, share } = row;
  const head = `${row.market}, ${row.date}: ${renderCoverage({ reportedTotal, distinctCompanies, missing, share })}`;
  const why = row.why.map(
    (gap) => `  ${String(gap.missing).padStart(7)} missing  ${JSON.stringify(gap.filters)}  ${gap.reason}`,
  );
  return [head, ...why].join('\n');
}
