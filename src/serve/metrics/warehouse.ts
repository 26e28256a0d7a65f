import { currentBuild } from '../../warehouse/builds/builds.js';
import { openPublished, type Published } from '../../warehouse/builds/published.js';
import type { Clock } from '../../base/time/clock.js';
import { buildPublished } from '../../base/observed.js';
import type { Collector } from './collectors.js';
import { newGauge, type MetricsRegistry } from './registry.js';
import type { FinishedRun } from './runs.js';

/** Facts of one published build. Builds never change, so each build is read once. */
export interface PublishedFacts {
  /** Unix time in seconds. */
  builtAt: number;
  /** End of the crawl of each market's current night, as Unix time in seconds. */
  nights: { market: string; asOf: number }[];
  coverage: { market: string; share: number | null; missing: number }[];
  rejects: { stream: string; open: number }[];
  runs: FinishedRun[];
}

/** Input of `addWarehouseMetrics`. */
export interface WarehouseMetricsOptions {
  dataDir: string;
  /** Names of the configured markets. Other markets are left out. */
  markets: readonly string[];
  clock: Clock;
}

/**
 * Adds the metrics of the published warehouse. Reads the published build only, never the warehouse file, which a writer
 * may hold.
 * @returns `facts`: facts of the current build; null if nothing is published
 */
export function addWarehouseMetrics(
  registry: MetricsRegistry,
  { dataDir, markets, clock }: WarehouseMetricsOptions,
): { collector: Collector; facts: () => Promise<PublishedFacts | null> } {
  const published = newGauge(
    registry,
    'tidemark_published_timestamp_seconds',
    'When the current build of the published warehouse was made, as Unix time.',
  );
  const duration = newGauge(
    registry,
    'tidemark_publish_duration_seconds',
    'Time that the last publication of this worker took; missing before its first one.',
  );
  const age = newGauge(
    registry,
    'tidemark_night_age_seconds',
    "Age of a market's newest published night: the time since the end of its crawl.",
    ['market'],
  );
  const ratio = newGauge(
    registry,
    'tidemark_coverage_ratio',
    'Found companies of a market divided by reported ones, 0 to 1, in the last published run that searched it.',
    ['market'],
  );
  const missing = newGauge(
    registry,
    'tidemark_coverage_missing_companies',
    'Companies that the API reports and that the last published run of the market did not find.',
    ['market'],
  );
  const rejects = newGauge(
    registry,
    'tidemark_rejects_open',
    'Values, years, reports and records that cannot be used and that no later answer has corrected, by stream.',
    ['stream'],
  );
  buildPublished.listen(({ seconds }) => duration.set(seconds));
  const facts = readOncePerBuild(dataDir);
  const isConfigured = ({ market }: { market: string }): boolean => markets.includes(market);
  const collect = async (): Promise<void> => {
    const now = await facts();
    if (now === null) return;
    published.set(now.builtAt);
    for (const gauge of [age, ratio, missing, rejects]) gauge.reset();
    for (const { market, asOf } of now.nights.filter(isConfigured))
      age.set({ market }, Math.max(0, clock.now().getTime() / 1_000 - asOf));
    for (const row of now.coverage.filter(isConfigured)) {
      if (row.share !== null) ratio.set({ market: row.market }, row.share);
      missing.set({ market: row.market }, row.missing);
    }
    for (const { stream, open } of now.rejects) rejects.set({ stream }, open);
  };
  return { collector: { name: 'warehouse', collect }, facts };
}

function readOncePerBuild(dataDir: string): () => Promise<PublishedFacts | null> {
  let build: string | null = null;
  let read: Promise<PublishedFacts> | undefined;
  return async () => {
    const current = currentBuild(dataDir);
    if (current === null) return null;
    if (read === undefined || current !== build) {
      build = current;
      read = readFacts(dataDir);
      read.catch(() => (build = null));
    }
    return read;
  };
}

const NIGHTS = `
SELECT market, epoch(as_of) AS "asOf" FROM ops.nights
QUALIFY row_number() OVER (PARTITION BY market ORDER BY date DESC) = 1`;

const COVERAGE = `
SELECT c.market, c.share, c.missing
FROM ops.coverage AS c
JOIN ops.runs AS r ON r.run_id = c.run
QUALIFY row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC) = 1`;

// Streams without open rejects count 0, so that a graph shows the value before the first reject.
const REJECTS = `
SELECT stream, count(*) FILTER (WHERE resolved_at IS NULL) AS open FROM ops.rejects GROUP BY stream`;

const RUNS = `
SELECT workflow_type AS "workflowType", coalesce(market, '') AS market, outcome, held_back IS NOT NULL AS "heldBack",
  epoch(finished_at) AS "finishedAt", epoch(finished_at) - epoch(started_at) AS seconds
FROM ops.runs
WHERE finished_at IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY workflow_type, market ORDER BY finished_at DESC) = 1`;

async function readFacts(dataDir: string): Promise<PublishedFacts> {
  const published = await openPublished(dataDir);
  try {
    return {
      builtAt: await builtAt(published),
      nights: await published.objects(NIGHTS),
      coverage: await published.objects(COVERAGE),
      rejects: await published.objects(REJECTS),
      runs: await published.objects(RUNS),
    };
  } finally {
    published.close();
  }
}

async function builtAt(published: Published): Promise<number> {
  const [row] = await published.objects<{ at: number }>('SELECT epoch(built_at) AS at FROM meta.receipt');
  return row?.at ?? Number.NaN;
}
