import type { RunContext } from '../../../schemas/pipeline/run.js';
import { followersOf, traitsOf, type FetchedStreamName } from '../../../schemas/streams/streams.js';
import { errorMessage } from '../../base/errors.js';
import type { Distribution } from './plan/index.js';
import type { RecordOutlook, SearchOutlook } from './plan/forecast.js';
import { NotPublishedError } from '../../warehouse/duckdb/errors.js';
import { queryPublished } from '../../warehouse/builds/published.js';
import type { CrawlDeps } from '../records/deps.js';

/** What the published warehouse says about a ticker. */
export interface KnownTicker {
  ticker: string;
  isMatched: boolean;
  isAnswered: boolean;
  isStale: boolean;
}

/** What the published warehouse says about a market. Empty before the first night. */
export interface PastNights {
  /** Number of requests of the last search, and the total that the API reported then. */
  search: SearchOutlook['before'];
  /** Numbers of known, unfetched, stale and changed companies, by stream. */
  records: Record<string, Pick<RecordOutlook, 'known' | 'unfetched' | 'stale' | 'changed'>>;
  /**
   * Tickers that have an answer, and tickers by which `tidemark resolve` found a company. Empty without the stream
   * financials_ticker.
   */
  tickers: KnownTicker[];
  /**
   * Average requests per due record in all nights so far, by stream. A stream that never had a due record is missing.
   */
  requestsPer: Record<string, number>;
  /** Median latency in the run of the market's current night, in milliseconds, by endpoint. */
  latency: Record<string, number>;
}

/**
 * Reads what the published warehouse says about a market. Logs a read error and does not throw it: a run must not fail
 * only because its forecast fails.
 * @returns `distributions`: the members of the market's current night, counted for each date of incorporation
 */
export async function readPastNights(
  { config, clock, log }: Pick<CrawlDeps, 'config' | 'clock' | 'log'>,
  ctx: RunContext,
): Promise<{ past: PastNights; distributions: Record<string, Distribution> }> {
  const past: PastNights = { search: null, records: {}, tickers: [], requestsPer: {}, latency: {} };
  const distributions: Record<string, Distribution> = {};
  const market = `'${(ctx.market ?? '').replaceAll("'", "''")}'`;
  const night = `(SELECT run FROM ops.nights WHERE market = ${market} ORDER BY date DESC LIMIT 1)`;
  const now = `TIMESTAMPTZ '${clock.now().toISOString()}'`;
  const ages = Object.entries(ctx.refreshSeconds).flatMap(([stream, seconds]) =>
    [stream, ...followersOf(stream as FetchedStreamName)].map((each) => [each, seconds] as const),
  );
  const stale = ages.map(
    ([stream, seconds]) =>
      `(stream = '${stream}' AND answered_on <= CAST((${now} - to_seconds(${seconds})) AT TIME ZONE 'UTC' AS DATE))`,
  );
  const rows = (sql: string): Promise<unknown[][]> => queryPublished(config.dataDir, sql);
  try {
    const members = await rows(
      `SELECT CAST(c.founding_date AS VARCHAR), count(*)
       FROM marts.market_members AS m LEFT JOIN core.companies AS c USING (company_id)
       WHERE m.market = ${market} AND m.date = (SELECT max(date) FROM ops.nights WHERE market = ${market})
       GROUP BY 1 ORDER BY 1 NULLS LAST`,
    );
    const values = members.flatMap(([day, companies]): [string, number][] =>
      typeof day === 'string' ? [[day, Number(companies)]] : [],
    );
    const without = Number(members.find(([day]) => day === null)?.[1] ?? 0);
    if (values.length > 0) distributions['company_incorporation'] = { values, without };
    const freshness = await rows(
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
      `SELECT stream, sum(entities) FROM ops.due
       WHERE run = ${night} AND reason IN ('event', 'renamed', 'status', 'entered', 'left', 'failed') GROUP BY stream`,
    );
    for (const [stream, entities] of changed) {
      const record = past.records[String(stream)];
      if (record) record.changed = Number(entities);
    }
    const sent = await rows(
      `SELECT d.stream, r.endpoint, sum(r.requests) / sum(d.due)
       FROM ops.requests AS r
       JOIN (SELECT run, stream, sum(entities) AS due FROM ops.due WHERE reason <> 'fresh' GROUP BY ALL) AS d USING (run)
       JOIN ops.runs AS n ON n.run_id = d.run AND n.market = ${market}
       WHERE d.due > 0
       GROUP BY ALL`,
    );
    for (const [stream, endpoint, requests] of sent) {
      if (traitsOf(stream as FetchedStreamName).route === endpoint) past.requestsPer[String(stream)] = Number(requests);
    }
    const requests = await rows(
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
      log.warn(
        `Cannot read past nights completely. The search and its forecast use what was read: ${errorMessage(error)}`,
      );
  }
  return { past, distributions };
}
