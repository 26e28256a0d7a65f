import type { RunContext } from '../../../schemas/pipeline/run.js';
import { followersOf, traitsOf, type FetchedStreamName } from '../../../schemas/streams/streams.js';
import { pullRows } from '../../landing/index.js';
import { DEFAULT_REMAINDER } from '../../config/config-schema.js';
import type { Config } from '../../config/config.js';
import { readDimensions } from './dimensions.js';
import type { SearchBasis } from './known-market.js';
import {
  Plan,
  toV1Filters,
  type PlanAnswer,
  type PlanInput,
  type PlanRequest,
  type Purpose,
  type Remainder,
  type Send,
} from './plan/index.js';
import {
  forecastFollowing,
  forecastRecords,
  forecastSearch,
  type RecordOutlook,
  type SearchOutlook,
  type StreamForecast,
} from './plan/forecast.js';
import type { CrawlDeps } from '../records/deps.js';
import { NOMENCLATURE_ENDPOINTS, SHORT_LISTS } from '../listings/short-lists.js';
import { filtersRefused } from '../judge/refusal.js';
import type { KnownTicker, PastNights } from './past-nights.js';

// Page size to request with `auto`: more rows than the API puts on a page. The plan then uses the number of rows that
// the API returns.
const ASK_HIGH = 1_000;

/** Purposes of the requests that only test how the API behaves (probes). */
const PROBES: ReadonlySet<Purpose> = new Set(['calibration', 'guess', 'again']);

/** The forecast of one night of a market. */
export interface MarketForecast {
  /** Number of companies that the API reports. */
  total: number;
  streams: StreamForecast[];
}

/**
 * Creates the search plan of a run's market. The same answers always lead to the same plan.
 * @param inFlight largest number of calls of `send` at the same time
 */
export function planMarket(config: Config, ctx: RunContext, known: SearchBasis, send: Send, inFlight: number): Plan {
  const { perPage } = config.api;
  const input: PlanInput = {
    market: ctx.market ?? '',
    filters: ctx.filters,
    v1Filters: toV1Filters(ctx.filters),
    dimensions: readDimensions(config.dataDir),
    perPage: perPage === 'auto' ? ASK_HIGH : perPage,
    horizon: { from: '1500-01-01', to: ctx.date },
    remainder: remainderOf(config, ctx, known),
    known,
  };
  return new Plan(input, send, inFlight);
}

/** Returns what the search may spend on companies that are hard to find (`markets[].remainder`). */
function remainderOf(config: Config, ctx: RunContext, { past, quotaLeft }: SearchBasis): Remainder {
  return {
    share: config.markets.find(({ name }) => name === ctx.market)?.remainder ?? DEFAULT_REMAINDER,
    records: (companies) =>
      forecastStreams(config, ctx, past, companies).reduce((sum, { requests }) => sum + requests, 0),
    limit: quotaLeft,
  };
}

/**
 * Forecasts the requests of one night of a market. Sends the calibration probes of the search (a few dozen requests).
 * @param known which records are known and how old they are, according to the published warehouse
 * @param ask sends a search; in a run, also lands the answer, so that the run does not send this search again
 * @param lists the configuration with the data folder of the lookup lists
 * @throws TidemarkError `ApiRefused` when the API rejects the market's filters
 */
export async function forecastMarket(
  deps: Pick<CrawlDeps, 'config' | 'data' | 'clock'>,
  ctx: RunContext,
  known: SearchBasis,
  ask: (request: PlanRequest) => Promise<PlanAnswer>,
  lists: Config = deps.config,
): Promise<MarketForecast> {
  // What earlier nights landed decides which lookup lists and contact metrics are due.
  await pullRows(deps.data, { streams: ['nomenclatures', 'contact_metrics'] });
  const search = await calibrate(lists, ctx, known, ask);
  const records = forecastStreams(deps.config, ctx, known.past, search.total);
  return { total: search.total, streams: [...fixed(deps, ctx), forecastSearch(search), ...records] };
}

/** Forecasts the requests for the records of a market with `total` companies, by stream. */
export function forecastStreams(
  config: CrawlDeps['config'],
  ctx: RunContext,
  past: PastNights,
  companies: number,
): StreamForecast[] {
  return (ctx.streams as FetchedStreamName[]).flatMap((stream) => {
    if (stream === 'financials_ticker') {
      const { total, ...tickers } = tickerOutlook(config, ctx, past.tickers);
      return [forecastRecords({ stream, endpoint: traitsOf(stream).route ?? '', ...tickers }, total)];
    }
    const leader = outlookOf(stream, ctx, past);
    if (leader === null) return [];
    const following = followersOf(stream).flatMap((follower) => outlookOf(follower, ctx, past) ?? []);
    return [
      forecastRecords(leader, companies),
      ...following.map((outlook) => forecastFollowing(outlook, leader, companies)),
    ];
  });
}

/** Counts the tickers that a run of the market requests, and the tickers that already have an answer. */
function tickerOutlook(
  { markets }: CrawlDeps['config'],
  { market }: RunContext,
  past: readonly KnownTicker[],
): Omit<RecordOutlook, 'stream' | 'endpoint'> & { total: number } {
  const configured = markets.find(({ name }) => name === market)?.tickers ?? [];
  const wanted = new Set(
    [...configured, ...past.filter(({ isMatched }) => isMatched).map(({ ticker }) => ticker)].map(upper),
  );
  const answered = past.filter(({ ticker, isAnswered }) => isAnswered && wanted.has(upper(ticker)));
  const stale = answered.filter(({ isStale }) => isStale).length;
  return { total: wanted.size, known: answered.length, unfetched: 0, stale, changed: 0 };
}

function upper(ticker: string): string {
  return ticker.toUpperCase();
}

/**
 * Returns the figures from which a stream's requests are forecast. Returns null for a stream whose records need several
 * routes.
 */
function outlookOf(stream: FetchedStreamName, ctx: RunContext, past: PastNights): RecordOutlook | null {
  const { route: endpoint, single = false } = traitsOf(stream);
  if (endpoint === null) return null;
  const known = past.records[stream] ?? { known: 0, unfetched: 0, stale: 0, changed: 0 };
  const requestsPer = stream === 'ownership' ? (ctx.ownership?.thresholds.length ?? 1) : past.requestsPer[stream];
  return { stream, endpoint, ...known, ...(single ? {} : { requestsPer }) };
}

/**
 * Forecasts the requests that do not depend on the market's size: lookup lists that are due, two readings of the quota,
 * and contact metrics.
 */
function fixed(deps: Pick<CrawlDeps, 'config' | 'clock'>, ctx: RunContext): StreamForecast[] {
  const lists = SHORT_LISTS.nomenclatures.due(deps, ctx).length;
  return [
    {
      stream: 'nomenclatures',
      requests: lists,
      endpoints: NOMENCLATURE_ENDPOINTS,
      basis: lists > 0 ? 'lookup lists' : 'lookup lists younger than 7 days',
    },
    { stream: 'metrics', requests: 2, endpoints: ['GET /v2/metrics'], basis: 'read the quota at start and end' },
    {
      stream: 'contact_metrics',
      requests: SHORT_LISTS.contact_metrics.due(deps, ctx).length,
      endpoints: ['GET /v2/metrics/contacts'],
      basis: 'today, and the last two days if not read after their end',
    },
  ];
}

/**
 * Sends the calibration probes of the plan, but none of its other searches. Returns the facts from which the number of
 * other searches is estimated.
 */
async function calibrate(
  config: Config,
  ctx: RunContext,
  known: SearchBasis,
  ask: (request: PlanRequest) => Promise<PlanAnswer>,
): Promise<SearchOutlook> {
  const wanted: PlanRequest[] = [];
  const send: Send = async (request) => (PROBES.has(request.purpose) ? ask(request) : void wanted.push(request));
  const plan = planMarket(config, ctx, known, send, Infinity);
  await plan.run();
  if (plan.refused !== null) throw filtersRefused(ctx, plan.refused);
  const { size } = plan.calibration();
  const { reportedTotal, requests: asked } = plan.stats();
  const total = reportedTotal ?? 0;
  const part = wanted.find(({ purpose }) => purpose === 'segment');
  const pages = wanted.filter(({ purpose }) => purpose === 'page');
  // The plan requests the pages of version 1 in several steps.
  const listed = pages[0]?.route === 'v1' ? Math.ceil(total / size) : 0;
  const next: SearchOutlook['next'] = part
    ? { kind: 'sweep', share: shareOf(plan, part, ctx) }
    : { kind: 'pages', pages: Math.max(listed, pages.length) };
  return { total, size, asked, next, before: known.past.search };
}

/** Returns the share of the market's companies that have a value in the dimension of a segment below the market. */
function shareOf(plan: Plan, { filters }: PlanRequest, ctx: RunContext): number {
  const key = Object.keys(filters).find((name) => JSON.stringify(filters[name]) !== JSON.stringify(ctx.filters[name]));
  const facts = plan.calibration().dimensions[key ?? ''];
  return facts === undefined || 'unusable' in facts || facts.complete ? 1 : facts.share;
}
