import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AttemptReport, ApiClient } from '../../api/index.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { Config } from '../../config/config.js';
import { TidemarkError } from '../../base/errors.js';
import { createLog } from '../../config/log.js';
import type { CrawlDeps, Heartbeat } from '../../crawl/records/deps.js';
import { askSearch } from '../../crawl/search/discover.js';
import { forecastMarket, type MarketForecast } from '../../crawl/search/forecast.js';
import { crawlListing } from '../../crawl/chunks/crawl-listing.js';
import { readLatestNomenclatures } from '../../crawl/search/dimensions.js';
import { readKnownMarket } from '../../crawl/search/known-market.js';
import type { PastNights } from '../../crawl/search/past-nights.js';
import type { PlanRequest } from '../../crawl/search/plan/index.js';
import { openRun } from '../../crawl/run/open-run.js';
import { dailyMetric } from '../../crawl/read-quota.js';
import { readManifests } from '../../landing/index.js';
import { addLatency, percentile } from '../../landing/latency.js';
import { forecastDays, forecastSeconds, type Pace, type StreamForecast } from '../../crawl/search/plan/forecast.js';
import { formatCount, formatDuration } from '../../../schemas/format.js';
import { openApi } from '../api.js';
import type { CliContext } from '../context.js';
import { interruptSignal } from '../terminal/interrupt.js';
import { colorsFor, terminalWidth } from '../terminal/print.js';
import { renderTable } from '../terminal/table.js';
import { Data } from '../../store/data.js';

/** Result of `tidemark snapshot --dry-run`. */
export interface SnapshotForecast {
  market: string;
  date: string;
  /** Companies that the API counts in the market. */
  companies: number;
  /** Requests that this forecast sent. */
  spent: number;
  streams: (StreamForecast & { seconds: number })[];
  requests: number;
  seconds: number;
  /** Null when the API reports no daily metric. */
  quota: { metric: string; used: number; total: number; days: number } | null;
}

/** Options of a forecast. */
export interface ForecastOptions {
  /** Default: the API key in use. */
  apiKey?: string;
  /** Folder for the lookup lists that it requests. Default: a temporary folder. */
  scratch?: string;
  /** Aborts the requests. Default: Ctrl-C. */
  signal?: AbortSignal;
}

/**
 * Forecasts a snapshot of a market, as if the snapshot started now. Sends the calibration probes and a request for
 * `/v2/metrics`. If no lookup list has landed yet, also requests the lookup lists. Keeps none of the answers.
 * @throws TidemarkError when `date` is in the past, or when the API refuses the API key or the filters
 */
export async function forecastSnapshot(
  context: CliContext,
  market: string,
  date: string,
  { apiKey, scratch, signal = interruptSignal() }: ForecastOptions = {},
): Promise<SnapshotForecast> {
  const { config, data, clock } = context;
  const ctx = forecastRun(context, market, date);
  if (!ctx.asOfNow) {
    throw new TidemarkError('InvalidInput', `No forecast is possible for ${date}: the date is in the past.`, {
      todo: 'A run of a past date reads only the watch events and contact metrics of that day. To forecast a run of today, omit --date.',
    });
  }
  const probes = new Probes();
  const api = openApi(config, clock, { onAttempt: probes.add, ...(apiKey === undefined ? {} : { apiKey }) });
  const heartbeat: Heartbeat = { report: () => undefined, signal, attempt: 1 };
  const folder = scratch ?? mkdtempSync(path.join(tmpdir(), 'tidemark-forecast-'));
  try {
    return await api.call(async (client: ApiClient) => {
      const deps: CrawlDeps = { config, data, clock, client, log: createLog('forecast') };
      const lists = await landLists(deps, ctx, folder, heartbeat);
      const known = await readKnownMarket(deps, ctx);
      const ask = (request: PlanRequest) => askSearch(deps, request, heartbeat);
      const forecast = await forecastMarket(deps, ctx, known, ask, lists);
      const metrics = await client.v2.metrics({ signal: heartbeat.signal });
      const quota = dailyMetric(metrics.data, config.quota.metric);
      return summarise(forecast, {
        market,
        date,
        spent: probes.count,
        quota,
        pace: paceOf(context, probes, known.past),
      });
    });
  } finally {
    if (scratch === undefined) rmSync(folder, { recursive: true, force: true });
    await api.close();
  }
}

/**
 * Requests the lookup lists, unless they have landed. Lands them in `scratch`, so that the forecasts with this folder
 * send no further requests for them.
 * @returns the lists of version 1 by name (empty if the API refuses them), and the number of requests sent
 */
export async function fetchLists(
  context: CliContext,
  market: string,
  date: string,
  { apiKey, scratch, signal }: Required<ForecastOptions>,
): Promise<{ lists: Record<string, unknown>; spent: number }> {
  const { config, data, clock } = context;
  const ctx = forecastRun(context, market, date);
  const probes = new Probes();
  const api = openApi(config, clock, { apiKey, onAttempt: probes.add });
  try {
    return await api.call(async (client) => {
      const deps = { config, data, clock, client, log: createLog('forecast') };
      const { dataDir } = await landLists(deps, ctx, scratch, { report: () => undefined, signal, attempt: 1 });
      return { lists: readLatestNomenclatures(dataDir), spent: probes.count };
    });
  } finally {
    await api.close();
  }
}

function forecastRun({ config, clock }: CliContext, market: string, date: string): RunContext {
  return openRun(config, clock, {
    workflowType: 'marketSnapshot',
    workflowId: 'forecast',
    run: 'forecast',
    input: { market, date },
  });
}

/**
 * Returns the configuration with the data folder that holds the lookup lists, which the planner needs. Before the first
 * run, fetches the lists into `folder`.
 */
async function landLists(deps: CrawlDeps, ctx: RunContext, folder: string, heartbeat: Heartbeat): Promise<Config> {
  const { config } = deps;
  if (!config.nomenclatures || readManifests(config.dataDir, { stream: 'nomenclatures' }).length > 0) return config;
  const lists = { ...config, dataDir: folder };
  await crawlListing({ ...deps, config: lists, data: new Data(folder) }, { ctx, listing: 'nomenclatures' }, heartbeat);
  return lists;
}

/** Counts the requests of the forecast and measures their latency. */
class Probes {
  count = 0;
  readonly #buckets = {};
  readonly add = (attempt: AttemptReport): void => {
    this.count += 1;
    addLatency(this.#buckets, attempt.ms);
  };
  get typical(): number {
    return percentile(this.#buckets, 0.5) ?? 0;
  }
}

function paceOf({ config }: CliContext, probes: Probes, { latency }: PastNights): Pace {
  return {
    latency,
    typical: probes.typical,
    concurrency: config.api.maxConcurrency,
    requestsPerSecond: config.api.requestsPerSecond ?? null,
  };
}

interface Facts extends Pick<SnapshotForecast, 'market' | 'date' | 'spent'> {
  quota: { metric: string; used: number; total: number } | null;
  pace: Pace;
}

function summarise(forecast: MarketForecast, { market, date, spent, quota, pace }: Facts): SnapshotForecast {
  const streams = forecast.streams.map((stream) => ({ ...stream, seconds: forecastSeconds(stream, pace) }));
  const requests = streams.reduce((sum, stream) => sum + stream.requests, 0);
  const seconds = streams.reduce((sum, stream) => sum + stream.seconds, 0);
  const days = forecastDays(requests, quota);
  return {
    market,
    date,
    companies: forecast.total,
    spent,
    streams,
    requests,
    seconds,
    quota: quota === null || days === null ? null : { ...quota, days },
  };
}

/** Renders the forecast for a person. */
export function renderForecast(forecast: SnapshotForecast): string {
  const paint = colorsFor(process.stdout);
  const { market, date, spent, streams, requests, seconds, quota } = forecast;
  const row = (name: string, count: number, time: number, basis: string): string[] => [
    name,
    formatCount(count),
    formatDuration(time * 1_000),
    basis,
  ];
  const table = renderTable(
    {
      columns: ['stream', 'requests', 'time', 'based on'],
      rows: [
        ...streams.map((stream) => row(stream.stream, stream.requests, stream.seconds, stream.basis)),
        row('total', requests, seconds, ''),
      ],
    },
    { width: terminalWidth(), wrap: ['based on'] },
  );
  return [
    paint.bold(`${market}, ${date}: ${formatCount(forecast.companies)} companies, ${formatCount(requests)} requests`),
    '',
    table,
    '',
    quota === null
      ? 'Quota      the API reports no daily limit'
      : `Quota      ${formatCount(Math.max(0, quota.total - quota.used))} of ${formatCount(quota.total)} ${quota.metric} left today: ${daysInWords(quota.days)}`,
    `Spent      ${formatCount(spent)} requests for this forecast; no record was fetched`,
  ].join('\n');
}

function daysInWords(days: number): string {
  return days === 1 ? 'enough for this run' : `not enough, so the run waits for quota and takes ${days} days`;
}
