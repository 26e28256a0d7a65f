import type { Command } from 'commander';
import type { NamedCode } from '../../../schemas/explorer/api.js';
import type { CoverageCertificate, CoverageGap } from '../../../schemas/pipeline/landing.js';
import { TidemarkError } from '../../base/errors.js';
import { formatCount } from '../../../schemas/format.js';
import { buildTree, renderTree, type SegmentRow } from './coverage-tree.js';
import { examples } from '../context.js';
import { colorsFor, say, sayJson, terminalWidth } from '../terminal/print.js';
import type { Published } from '../../warehouse/builds/published.js';
import { renderCoverage } from '../runs/render-result.js';
import { withPublished } from '../with-published.js';

interface MarketCoverage {
  market: string;
  date: string;
  run: string;
  reported_total: number;
  distinct_companies: number;
  missing: number;
  share: number | null;
  held_back: string | null;
  why: CoverageGap[];
  certificate: CoverageCertificate;
  segments: SegmentRow[];
}

type Row = Omit<MarketCoverage, 'why' | 'certificate' | 'segments'> & {
  why: string | null;
  certificate: string;
};

const SQL = `
SELECT c.market, r.date, c.run, c.reported_total, c.distinct_companies, c.missing, c.share, r.held_back,
  c.why, c.certificate
FROM ops.coverage AS c
JOIN ops.runs AS r ON r.run_id = c.run
WHERE ($run IS NULL OR c.run = $run) AND ($market IS NULL OR c.market = $market)
QUALIFY $run IS NOT NULL OR row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC) = 1
ORDER BY c.market`;

const SEGMENTS = `
SELECT segment, parent, filters, total_reported, distinct_companies, pages, state, split_by
FROM ops.segments WHERE run = $run ORDER BY segment`;

/** `tidemark coverage`: shows how much of each market the last run found, as a tree of its segments with the gaps. */
export function registerCoverage(program: Command): void {
  program
    .command('coverage')
    .summary('show how much of each market was found')
    .description(
      'show how many companies of each market the run found: its searches as a tree, and each gap with filters and count',
    )
    .option('--market <name>', 'only this market')
    .option('--run <id>', 'show this run; default the last run of each market')
    .option('--all', 'show every proven segment, not only how many there are')
    .option('--json', 'print JSON with the unproven segments; --all adds the proven segments')
    .addHelpText(
      'after',
      examples('tidemark coverage', 'tidemark coverage --market nordics --all', 'tidemark coverage --json'),
    )
    .action(async (options: { market?: string; run?: string; all?: boolean; json?: boolean }, command: Command) => {
      const all = options.all ?? false;
      await withPublished(command, async (published) => {
        const found = await readCoverage(published, options);
        if (options.json) return sayJson(found.map((market) => (all ? market : withoutProven(market))));
        if (found.length === 0) {
          throw new TidemarkError('Internal', 'This market or run has no coverage.', {
            todo: '`tidemark runs` lists the runs. A market has coverage after its first snapshot.',
          });
        }
        const { readSqlFile } = await import('../../warehouse/duckdb/sql-files.js');
        const { text } = readSqlFile('explorer/operations/codes.sql');
        const codes = await published.objects<NamedCode>(text).catch(() => []);
        say(found.map((market) => describe(market, all, codes)).join('\n\n'));
      });
    });
}

async function readCoverage(
  published: Published,
  options: { market?: string; run?: string },
): Promise<MarketCoverage[]> {
  const rows = await published.objects<Row>(SQL, { run: options.run ?? null, market: options.market ?? null });
  const found: MarketCoverage[] = [];
  for (const row of rows) {
    const segments = await published.objects<SegmentRow & { filters: string }>(SEGMENTS, { run: row.run });
    found.push({
      ...row,
      why: row.why === null ? [] : (JSON.parse(row.why) as CoverageGap[]),
      certificate: JSON.parse(row.certificate) as CoverageCertificate,
      segments: segments.map((segment) => ({
        ...segment,
        filters: JSON.parse(segment.filters) as SegmentRow['filters'],
      })),
    });
  }
  return found;
}

function withoutProven(market: MarketCoverage): MarketCoverage {
  const gaps = new Set(market.why.map((gap) => gap.segment));
  return {
    ...market,
    segments: market.segments.filter(
      ({ segment, state }) => gaps.has(segment) || (state !== 'leaf' && state !== 'split' && state !== 'calibration'),
    ),
  };
}

function describe(market: MarketCoverage, all: boolean, codes: readonly NamedCode[]): string {
  const paint = colorsFor(process.stdout);
  const { reported_total: reportedTotal, distinct_companies: distinctCompanies, missing, share } = market;
  const reached = renderCoverage({ reportedTotal, distinctCompanies, missing, share });
  const lines = [paint.bold(`${market.market}, ${market.date}: ${reached}`)];
  if (market.held_back !== null) lines.push(paint.yellow(`! ${market.held_back}`));
  lines.push(...renderCertificate(market.certificate));
  const root = buildTree(market.segments, market.why);
  if (root) lines.push('', ...renderTree(root, { all, paint, codes, width: terminalWidth() }));
  return lines.join('\n');
}

const CLASSES = {
  proven: 'in searches whose pages list as many companies as the search counts',
  moved: 'in searches whose counts changed while they were read',
  unsplittable: 'in searches above the page cap that no filter splits further',
  unproven: 'found outside proven searches, or counted but found by no search',
  unusable: 'with ids that the warehouse cannot store',
} as const;

/** Renders one line for each class of the certificate that holds companies: found, missing and what the class means. */
function renderCertificate(certificate: CoverageCertificate): string[] {
  const names = (Object.keys(CLASSES) as (keyof typeof CLASSES)[]).filter(
    (name) => certificate[name].found + certificate[name].missing > 0,
  );
  const found = names.map((name) => formatCount(certificate[name].found));
  const missing = names.map((name) => formatCount(certificate[name].missing));
  const [wide, wider] = [found, missing].map((column) => Math.max(...column.map((text) => text.length)));
  const lines = names.map(
    (name, i) =>
      `  ${name.padEnd(12)}  ${found[i]?.padStart(wide ?? 0)} found  ${missing[i]?.padStart(wider ?? 0)} missing  ${CLASSES[name]}`,
  );
  if (certificate.gone > 0)
    lines.push(
      `  gone          ${formatCount(certificate.gone)} found, but the API no longer counted them at the end of the run`,
    );
  return lines;
}
