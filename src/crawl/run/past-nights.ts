import type { RunContext } from '../../../schemas/pipeline/run.js';
import { errorMessage } from '../../core/errors.js';
import type { RecordOutlook, SearchOutlook } from '../../planner/forecast.js';
import { NotPublishedError } from '../../duckdb/errors.js';
import { queryPublished } from '../../builds/published.js';
import type { CrawlDeps } from '../deps.js';

/** State of a ticker in the published warehouse. */
export interface KnownTicker {
  ticker: string;
  isMatched: boolean;
  isAnswered: boolean;
  isStale: boolean;
}

/** Facts about a market from the published warehouse. Empty before the first night. */
export interface PastNights {
  /** Requests of the last search, and the total that the API reported. */
  search: SearchOutlook['before'];
  /** Numbers of known, unfetched, stale and changed companies, by stream. */
  records: Record<string, Pick<RecordOutlook, 'known' | 'unfetched' | 'stale' | 'changed'>>;
  /** Tickers with answers, and those by which `tidemark resolve` found a company. Empty without financials_ticker. */
  tickers: KnownTicker[];
  /** Median latency in milliseconds, by endpoint, in the last run. */
  latency: Record<string, number>;
}

/**
 * Reads the facts for a forecast. Logs a read error and does not throw, because a run must not fail for lack of a
 * forecast.
 */
export async function readPastNights(
  { config, clock, log }: Pick<CrawlDeps, 'config' | 'clock' | 'log'>,
  ctx: RunContext,
): Promise<PastNights> {
  const past: PastNights = { search: null, records: {}, tickers: [], latency: {} };
  const market = `'${(ctx.market ?? '').replaceAll("'", "''")}'`;
  const night = `(SELECT run FROM ops.nights WHERE market = ${market} ORDER BY date DESC LIMIT 1)`;
  const now = `TIMESTAMPTZ '${clock.now().toISOString()}'`;
  const stale = Object.entries(ctx.refreshSeconds).map(
    ([stream, seconds]) =>
      `(stream = '${stream}' AND answered_on <= CAST((${now} - to_seconds(${seconds})) AT TIME ZONE 'UTC' AS DATE))`,
  );
  try {
    const freshness = await rows(
      config.dataDir,
      `SELECT stream, sum(companies), coalesce(sum(companies) FILTER (answered_on IS NULL), 0),
        coalesce(sum(companies) FILTER (${stale.join(' OR ') || 'false'}), 0)
       FROM ops.freshness WHERE market = ${market} GROUP BY stream`,
    );
    for (const [stream, known, unfetched, due] of freshness) {
      past.records[String(stream)] = {
        known: Number(known),
        unfetched: Number(unfetched),
        stale: Number(due),
        changed: 0,
      };
    }
    const changed = await rows(
      config.dataDir,
      `SELECT stream, sum(entities) FROM ops.due
       WHERE run = ${night} AND reason IN ('event', 'renamed', 'status', 'entered', 'failed') GROUP BY stream`,
    );
    for (const [stream, entities] of changed) {
      const record = past.records[String(stream)];
      if (record) record.changed = Number(entities);
    }
    const requests = await rows(
      config.dataDir,
      `SELECT endpoint, requests, p50_ms, (SELECT reported_total FROM ops.coverage WHERE run = ${night})
       FROM ops.requests WHERE run = ${night}`,
    );
    for (const [endpoint, count, p50, total] of requests) {
      if (p50 !== null) past.latency[String(endpoint)] = Number(p50);
      if (endpoint !== 'POST /v2/prospecting' && endpoint !== 'POST /v1/finder/companies') continue;
      past.search = { requests: (past.search?.requests ?? 0) + Number(count), total: Number(total) };
    }
    if (ctx.streams.includes('financials_ticker')) {
      const tickers = await rows(
        config.dataDir,
        `SELECT ticker, is_matched, answered_at IS NOT NULL,
          coalesce(answered_at <= ${now} - to_seconds(${ctx.refreshSeconds['financials_ticker'] ?? 0}), false)
         FROM core.tickers`,
      );
      past.tickers = tickers.map(([ticker, isMatched, isAnswered, isStale]) => ({
        ticker: String(ticker),
        isMatched: Boolean(isMatched),
        isAnswered: Boolean(isAnswered),
        isStale: Boolean(isStale),
      }));
    }
  } catch (error) {
    if (!(error instanceof NotPublishedError))
      log.warn(`Cannot read past nights, so the forecast ignores them: ${errorMessage(error)}`);
  }
  return past;
}

async function rows(dataDir: string, sql: string): Promise<unknown[][]> {
  return queryPublished(dataDir, sql);
}
