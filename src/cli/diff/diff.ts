import path from 'node:path';
import { Option, type Command } from 'commander';
import { formatCount } from '../../../schemas/format.js';
import type { Published } from '../../warehouse/builds/published.js';
import { invalidInput } from '../../base/errors.js';
import { examples } from '../context.js';
import { parseDay } from '../terminal/dates.js';
import { parseCount } from '../terminal/port-options.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { sayTable } from '../terminal/say-table.js';
import { withPublished } from '../with-published.js';
import { formatOfFile, OUT_FORMATS, writeResult } from '../output/write-result.js';
import { diffQuery, KINDS, pairQuery, type Pair } from './diff-query.js';

interface Options {
  market?: string;
  limit: number;
  out?: string;
  exact?: boolean;
  json?: boolean;
}

/** The two nights of one market. */
interface MarketPair {
  market: string;
  from_at: string;
  to_at: string;
  from_is_complete: boolean;
  to_is_complete: boolean;
}

interface Difference {
  market: string;
  kind: (typeof KINDS)[number];
  reason: string | null;
  [column: string]: unknown;
}

/** `tidemark diff`: shows what changed between two nights. */
export function registerDiff(program: Command): void {
  program
    .command('diff <night> <night>')
    .summary('show what changed between two nights')
    .description(
      'show what changed between two nights: companies that entered or left, changed and restated values, events',
    )
    .option('--market <name>', 'only this market; default every market that has both nights')
    .addOption(
      new Option('--limit <rows>', 'maximum number of rows of each kind to print').argParser(parseCount).default(20),
    )
    .option('--out <file>', `write all rows to a file: ${OUT_FORMATS}`)
    .option('--exact', 'CSV only: write text unchanged, even if a spreadsheet would run it as a formula')
    .option('--json', 'print all rows as JSON')
    .addHelpText(
      'after',
      `
A night is a date, such as 2026-11-20. A value that changed and changed back
between the two nights is no difference. Only a complete night proves that a
company left.
${examples('tidemark diff 2026-11-19 2026-11-20', 'tidemark diff 2026-11-01 2026-11-30 --market nordics --out changes.csv')}`,
    )
    .action(async (first: string, second: string, options: Options, command: Command) => {
      const pair = readPair(first, second, options);
      const format = options.out === undefined ? null : formatOfFile(options.out, undefined);
      await withPublished(command, async (published) => {
        const markets = await readMarkets(published, pair);
        if (format !== null && options.out !== undefined)
          return writeResult(published, diffQuery(pair), format, path.resolve(options.out), options);
        const rows = await published.objects<Difference>(diffQuery(pair));
        if (options.json)
          return sayJson({ from: pair.from, to: pair.to, markets: markets.map(withCounts(rows)), rows });
        for (const market of markets) sayMarket(market, pair, rows, options.limit);
      });
    });
}

function readPair(first: string, second: string, { market = null }: { market?: string | null }): Pair {
  const [from, to] = [parseDay(first, 'night'), parseDay(second, 'night')];
  if (from <= to) return { from, to, market };
  throw invalidInput(`${from} is after ${to}.`, 'Name the earlier night first.');
}

/** @throws TidemarkError `InvalidInput` when no market has both nights */
async function readMarkets(published: Published, pair: Pair): Promise<MarketPair[]> {
  const markets = await published.objects<MarketPair>(`${pairQuery(pair)} ORDER BY b.market`);
  if (markets.length > 0) return markets;
  const nights = await published.objects<{ market: string; first: string; last: string; missing: string }>(
    `SELECT market, CAST(min(date) AS VARCHAR) AS first, CAST(max(date) AS VARCHAR) AS last,
       array_to_string(list_filter([$from, $to], lambda day: NOT list_contains(list(CAST(date AS VARCHAR)), day)), ' and ') AS missing
     FROM ops.nights
     WHERE $market IS NULL OR market = $market
     GROUP BY market
     ORDER BY market`,
    { from: pair.from, to: pair.to, market: pair.market },
  );
  const known = nights.map(
    ({ market, first, last, missing }) =>
      `Market ${market} has no night ${missing}: its data begins on ${first} and ends on ${last}.`,
  );
  const none = pair.market === null ? 'No market has a night yet.' : `There is no night of market ${pair.market}.`;
  throw invalidInput(
    known.join('\n') || none,
    '`tidemark sql "SELECT market, date FROM ops.nights"` lists the nights.',
  );
}

function withCounts(rows: readonly Difference[]) {
  return (market: MarketPair): MarketPair & { counts: Record<string, number> } => ({
    ...market,
    counts: Object.fromEntries(KINDS.map((kind) => [kind, ofMarket(rows, market, kind).length])),
  });
}

function ofMarket(rows: readonly Difference[], { market }: MarketPair, kind: Difference['kind']): Difference[] {
  return rows.filter((row) => row.market === market && row.kind === kind);
}

const COLUMNS: Record<Difference['kind'], readonly string[]> = {
  entered: ['company_id', 'name', 'country_code'],
  left: ['company_id', 'name', 'country_code', 'reason'],
  changed: ['company_id', 'name', 'field', 'old_value', 'new_value'],
  restated: ['company_id', 'name', 'fiscal_year', 'field', 'currency', 'old_value', 'new_value'],
  event: ['company_id', 'name', 'field', 'old_value', 'new_value', 'changed_at'],
};

function sayMarket(market: MarketPair, { from, to }: Pair, rows: readonly Difference[], limit: number): void {
  say(`${market.market}: ${from} to ${to}`);
  for (const kind of KINDS) say(`  ${kind.padEnd(9)} ${summary(ofMarket(rows, market, kind))}`);
  if (!market.to_is_complete)
    say(`The night of ${to} is incomplete: companies that it did not find are not listed as left.`);
  for (const kind of KINDS) {
    const found = ofMarket(rows, market, kind);
    if (found.length === 0) continue;
    const columns = COLUMNS[kind];
    say(`\n${kind}`);
    sayTable({ columns, rows: found.slice(0, limit).map((row) => columns.map((column) => row[column])) });
    if (found.length > limit)
      tell(`(the first ${limit} of ${formatCount(found.length)}; --limit shows more, --out writes all)`);
  }
  say();
}

function summary(rows: readonly Difference[]): string {
  const reasons = new Map<string, number>();
  for (const { reason } of rows) if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const parts = [...reasons]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, count]) => `${formatCount(count)} ${reason}`);
  return `${formatCount(rows.length)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}
