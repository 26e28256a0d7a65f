import { hostname } from 'node:os';
import path from 'node:path';
import {
  BackfillInput,
  EnrichOwnersInput,
  MarketSnapshotInput,
  RetryRejectsInput,
  TenderSnapshotInput,
  WatchSyncInput,
  type OpenRunInput,
  type RunContext,
  type WorkflowType,
  type PublishThresholds,
} from '../../../schemas/pipeline/run.js';
import { CAUSES } from '../../../schemas/pipeline/cause.js';
import { MARKET_STREAMS, RETRY_STREAMS } from '../../../schemas/streams/streams.js';
import { CheckPayeesInput, PAYEE_DAYS } from '../../../schemas/pipeline/payees.js';
import { ResolveCompaniesInput } from '../../../schemas/pipeline/resolve.js';
import { dayIn, type Clock } from '../../base/time/clock.js';
import { DEFAULT_REFRESH } from '../../config/config-schema.js';
import { backfillStreams, keepsContacts, pickMarket, type Config } from '../../config/config.js';
import type { RunSizes } from '../../config/run-sizes.js';
import { resolveLogicalDate } from './logical-date.js';
import { parseInput, wrongInput } from '../../base/parse-input.js';
import { GIVE_UP_DAYS } from '../streams/owners/job-state.js';
import { DAY_SECONDS, daysBefore, utcDay } from '../../base/time/time.js';

type Decided = Pick<
  RunContext,
  'date' | 'asOfNow' | 'market' | 'filters' | 'streams' | 'refreshSeconds' | 'from' | 'to' | 'note' | 'gate' | 'file'
>;

/** Parameters of a run as of now, without a market, filters and thresholds. */
const PLAIN = { asOfNow: true, market: null, filters: {}, refreshSeconds: {}, gate: null, note: null };

/** What decides about a new run, besides its input: the worker, and earlier runs. A forecast needs none of it. */
export interface Past extends Partial<
  Pick<RunContext, 'folder' | 'stampsAfter' | 'startedAt' | 'workers' | 'stateAttributes'>
> {
  /** Sizes from the worker's environment. */
  sizes?: RunSizes | undefined;
  /** Remarks about the worker, for the run's notes. Each is one sentence. */
  notes?: readonly (string | null)[];
  /** Date of the last complete watch sync; undefined if there was none. */
  lastWatchSync?: string | undefined;
  /** Finds the current night of a market, if any. */
  currentNight?: ((market: string, filters: Record<string, unknown>) => PublishThresholds['current']) | undefined;
}

/**
 * Decides the parameters of a run from its input and the configuration.
 * @throws TidemarkError `InvalidInput` with the wrong field and the allowed input
 */
export function openRun(
  config: Config,
  clock: Clock,
  input: OpenRunInput,
  { lastWatchSync, currentNight, sizes, notes = [], ...worker }: Past = {},
): RunContext {
  const now = clock.now();
  const today = dayIn('UTC', now);
  const decided: Decided = {
    ...PLAIN,
    date: today,
    from: today,
    to: today,
    ...decide[input.workflowType]({ ...input, config, now, lastWatchSync, currentNight }),
  };
  const note = [decided.note, ...notes].filter((text) => text !== null).join(' ');
  return {
    run: input.run,
    workflowId: input.workflowId,
    workflowType: input.workflowType,
    startedAt: now.toISOString(),
    configHash: config.hash,
    fileHash: config.fileHash,
    probeEverySeconds: config.quota.probeEvery,
    maxConcurrency: config.api.maxConcurrency,
    workers: 1,
    stateAttributes: [],
    folder: { id: '', path: config.dataDir, host: hostname() },
    ...worker,
    ...sizes,
    leavesQuota: quotaLeft(config, input),
    ...(decided.streams.includes('ownership') ? { ownership: config.ownership } : {}),
    ...alertSettings(config),
    ...decided,
    note: note === '' ? null : note,
  };
}

/** Which alerts the targets of `notify` take; empty when there is no target. */
function alertSettings({ notify }: Config): Pick<RunContext, 'alerts'> {
  if (notify.length === 0) return {};
  const taken = new Set(notify.flatMap(({ on }) => on));
  return { alerts: { causes: CAUSES.filter((cause) => taken.has(cause)) } };
}

/**
 * Returns the share of the daily quota that a run must leave unused. A run that no schedule started may use everything.
 * A scheduled run leaves `quota.reserve` for people. A backfill leaves twice as much, for people and scheduled runs.
 */
function quotaLeft({ quota }: Config, { workflowType, scheduledTime }: OpenRunInput): number {
  if (workflowType === 'backfill') return Math.min(1, 2 * quota.reserve);
  return scheduledTime === undefined ? 0 : quota.reserve;
}

// The first watch sync reads the events of this many days.
const FIRST_WATCH_DAYS = 30;

// After this many days, an answer of `tidemark resolve` or `tidemark enrich` is due again. Until then, the same
// question sends no request.
const MATCH_DAYS = 30;

/** What is known when a run opens. */
type Opening = OpenRunInput & Pick<Past, 'lastWatchSync' | 'currentNight'> & { config: Config; now: Date };

/** Decides what differs from `PLAIN`. */
type Decide = (opening: Opening) => Pick<Decided, 'streams'> & Partial<Decided>;

const decide: Record<WorkflowType, Decide> = {
  marketSnapshot(opening) {
    const { config, input, currentNight } = opening;
    const asked = parseInput(MarketSnapshotInput, input, '{"market": "demo", "date": "2026-11-20"}; both are optional');
    const market = pickMarket(config, asked.market);
    const { name, filters, streams, refresh, minCoverage, maxDrop } = market;
    const when = resolveLogicalDate(opening, asked.date, market.schedule?.timezone);
    const base = { ...when, market: name, filters, streams, refreshSeconds: refresh };
    if (when.asOfNow)
      return { ...base, gate: { minCoverage, maxDrop, current: currentNight?.(name, filters) ?? null } };
    const note = `${when.date} is in the past. The API shows searches and company records only as of now, so this run reads only the watch events and contact metrics of that day.`;
    return { ...base, note };
  },

  tenderSnapshot(opening) {
    const { tenders } = opening.config;
    const asked = parseInput(TenderSnapshotInput, opening.input, '{"date": "2026-11-20"}; it is optional');
    const when = resolveLogicalDate(opening, asked.date, tenders?.schedule?.timezone);
    const filters = tenders?.filters ?? {};
    const streams = ['tenders'];
    if (when.asOfNow) return { ...when, filters, streams };
    const note = `${when.date} is in the past: this run reads the tenders created on that day, as they are now.`;
    return { ...when, filters: createdBetween(filters, when.date, when.date), streams, note };
  },

  watchSync(opening) {
    const { config, lastWatchSync } = opening;
    const asked = parseInput(WatchSyncInput, opening.input, '{"date": "2026-11-20"}; it is optional');
    const when = resolveLogicalDate(opening, asked.date, config.watch?.schedule?.timezone);
    // Start one day before the date of the last sync, because the API may list an event late. If an event is read
    // twice, the tables still hold one row (event_id).
    const last = new Date(lastWatchSync ?? when.date);
    const since = utcDay(daysBefore(last, lastWatchSync === undefined ? FIRST_WATCH_DAYS : 1));
    return { ...when, from: when.asOfNow && since < when.date ? since : when.date, streams: ['watch_events'] };
  },

  backfill({ config, now, input }) {
    const asked = parseInput(
      BackfillInput,
      input,
      '{"from": "2026-01-01", "to": "2026-01-31", "streams": ["tenders", "watch_events", "contact_metrics", "financials", "financials_v1"], "market": "demo"}; streams and market are optional',
    );
    const { from, to } = asked;
    const today = dayIn('UTC', now);
    if (from > to) throw wrongInput(`from (${from}) is after to (${to})`, 'Swap them.');
    if (to > today)
      throw wrongInput(`to (${to}) is in the future: today is ${today} (UTC)`, 'Give today or an earlier date.');
    const market = asked.market === undefined ? undefined : pickMarket(config, asked.market);
    return {
      from,
      to,
      asOfNow: false,
      market: market?.name ?? null,
      filters: createdBetween(config.tenders?.filters ?? {}, from, to),
      streams: asked.streams ?? backfillStreams(market === undefined ? config.markets : [market]),
      refreshSeconds: market?.refresh ?? shortestRefresh(config),
    };
  },

  resolveCompanies({ input }) {
    const { file } = parseInput(ResolveCompaniesInput, input, '{"file": "resolve/suppliers.csv"}');
    // Read the questions first, because their answers name the companies to read.
    const streams = ['matches', 'companies'];
    return { streams, refreshSeconds: { matches: MATCH_DAYS * DAY_SECONDS }, file: path.basename(file) };
  },

  enrichPeople({ config, input }) {
    const { file } = parseInput(ResolveCompaniesInput, input, '{"file": "resolve/contacts.csv"}');
    if (!keepsContacts(config)) {
      throw wrongInput(
        'personalData is none, so people are not enriched',
        'Set `personalData: contacts` in tidemark.yaml if you may keep contact data of people.',
      );
    }
    const refreshSeconds = { enrichments: MATCH_DAYS * DAY_SECONDS };
    return { streams: ['enrichments'], refreshSeconds, file: path.basename(file) };
  },

  checkPayees({ input }) {
    const asked = parseInput(
      CheckPayeesInput,
      input,
      '{"file": "payees/suppliers.csv", "recheckAfterSeconds": 2592000, "reports": true}; only file is required',
    );
    return {
      streams: asked.reports === false ? ['payee_checks'] : ['payee_checks', 'payee_reports'],
      refreshSeconds: { payee_checks: asked.recheckAfterSeconds ?? PAYEE_DAYS * DAY_SECONDS },
      file: path.basename(asked.file),
    };
  },

  enrichOwners(opening) {
    const asked = parseInput(
      EnrichOwnersInput,
      opening.input,
      '{"market": "demo", "date": "2026-11-20"}; both are optional',
    );
    const market = pickMarket(opening.config, asked.market);
    return {
      ...resolveLogicalDate(opening, asked.date, market.schedule?.timezone),
      asOfNow: false,
      market: market.name,
      streams: ['ownership_jobs', 'ownership'],
      // While the owners of a company are fresh, start at most one job for it.
      refreshSeconds: { ownership_jobs: Math.max(market.refresh.ownership, GIVE_UP_DAYS * DAY_SECONDS) },
    };
  },

  retryRejects({ config, input }) {
    const asked = parseInput(
      RetryRejectsInput,
      input,
      '{"streams": ["companies", "executives"], "market": "demo"}; both are optional',
    );
    return {
      asOfNow: false,
      market: asked.market === undefined ? null : pickMarket(config, asked.market).name,
      // Keep the order of RETRY_STREAMS: companies come before their reports. So no report is requested for a company
      // that turns out to be gone.
      streams: RETRY_STREAMS.filter((stream) => asked.streams?.includes(stream) ?? true),
    };
  },
};

/** Returns the shortest refresh age of each stream, among all markets and the default ages. */
function shortestRefresh({ markets }: Config): Record<string, number> {
  const ages = [DEFAULT_REFRESH, ...markets.map(({ refresh }) => refresh)];
  return Object.fromEntries(MARKET_STREAMS.map((stream) => [stream, Math.min(...ages.map((age) => age[stream]))]));
}

/**
 * Adds a range of creation dates to tender filters (reference v1, "Tender filters", `date_created`).
 * @param from first day, YYYY-MM-DD
 * @param to last day, YYYY-MM-DD
 */
function createdBetween(filters: Record<string, unknown>, from: string, to: string): Record<string, unknown> {
  const must = typeof filters['must'] === 'object' && filters['must'] !== null ? filters['must'] : {};
  return { ...filters, must: { ...must, date_created: { from, to } } };
}
