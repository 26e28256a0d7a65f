import type { DiscoverInput, DiscoverResult } from '../../../schemas/pipeline/activities.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import { ApiError, InvalidRequestError, isLimit, isPermanent, isRefusal, type ApiResponse } from '../../api/index.js';
import { PartWriter, pullRows, readRunRows, type NewRow } from '../../landing/index.js';
import { takeUnlessLost } from '../../warehouse/builds/take-published.js';
import { keysOf, readItems } from '../../base/company-id.js';
import { readJson } from '../../base/json/json-nodes.js';
import { bookingIn, RequestLog } from '../../landing/request-log.js';
import type { Plan, PlanAnswer, PlanRequest } from './plan/index.js';
import { apiAnswers, isDailyLimit, rowOf, stopsEverything } from '../records/answer.js';
import { landRecords } from '../records/land-records.js';
import { mostInFlight, type CrawlDeps, type Heartbeat } from '../records/deps.js';
import { forecastMarket, landForecast, type AskPlan } from './forecast.js';
import { keepCalibration, knownMarketOf } from './known-market.js';
import { planMarket } from './market-plan.js';
import { isLimitedAlone } from '../judge/limited-alone.js';
import { readCount } from '../records/read-count.js';
import { reopenQuota } from '../read-quota.js';
import { filtersRefused, refusalOf, RouteRefusedError } from '../judge/refusal.js';

// From this attempt of the activity on, the plan may continue without the answer to a failing search. Earlier, a
// failing search ends the attempt.
const LAST_PATIENT_ATTEMPT = 4;
// If the API refuses this many searches without filters, the API key may not search at all.
const PLAIN_SEARCHES = 3;
const NOTHING_FOUND: DiscoverResult = {
  done: false,
  limited: false,
  requests: 0,
  rows: 0,
  reportedTotal: null,
  distinctCompanies: 0,
  coverage: null,
  causes: [],
};

/**
 * Searches a market with about `input.budget` requests. Lands every answer. The plan's state depends only on the
 * answers. So a new attempt, or the next round, first gives the plan all landed answers, and then sends only the
 * missing searches.
 * @returns counts; when the plan is finished, `done` is true and `coverage` is set
 * @throws TidemarkError `ApiRefused` when the API rejects the market's filters
 */
export async function discoverMarket(
  deps: CrawlDeps,
  input: DiscoverInput,
  heartbeat: Heartbeat,
): Promise<DiscoverResult> {
  const { ctx, round } = input;
  const { dataDir } = deps.config;
  const target = {
    dataDir,
    stream: 'prospecting' as const,
    run: ctx.run,
    date: ctx.date,
    market: ctx.market,
    chunk: `search-${String(round).padStart(4, '0')}`,
  };
  await pullRows(dataDir, { streams: ['nomenclatures'] });
  await pullRows(dataDir, { streams: ['prospecting'], run: ctx });
  // The published build says how the market looked last night. Without it, the search needs more requests.
  if (round === 0)
    await takeUnlessLost(deps.config, (fault) =>
      deps.log.warn(`${fault} The search uses an older build of this machine, or none.`),
    );
  const known = await knownMarketOf(deps, ctx, round);
  const plan = planMarket(deps.config, ctx, known);
  const answers = new Map(readRunRows(target).map((row) => [row.request_key, answerOf(row)]));
  const done = await PartWriter.committed(target);
  if (done) {
    replay(plan, answers);
    return conclude(deps, input, plan, { requests: 0, rows: done.rows, limited: false });
  }

  const booking = new RequestLog(dataDir, ctx.run, target.chunk);
  const writer = await PartWriter.open(target);
  for (const row of writer.rows) answers.set(row.request_key, answerOf(row));
  const keep: AskPlan = async (request) => {
    const row = await askPage(deps, request, heartbeat);
    await writer.append(row);
    const answer = answerOf(row);
    answers.set(request.key, answer);
    return answer;
  };
  try {
    await bookingIn(booking, async () => {
      await reopenQuota(deps, ctx, heartbeat);
      const before = writer.rows.length;
      if (round === 0) {
        const ask: AskPlan = async (request) => answers.get(request.key) ?? keep(request);
        const forecast = await forecastMarket(deps, ctx, planMarket(deps.config, ctx, known), ask, known.past);
        await landForecast(deps, ctx, forecast);
      }
      const budget = input.budget - (writer.rows.length - before);
      await search({ deps, input: { ...input, budget }, plan, answers, keep, heartbeat, booking });
      heartbeat.signal.throwIfAborted();
    });
  } catch (error) {
    await writer.close();
    if (error instanceof RouteRefusedError) {
      const { requests } = booking;
      return { ...NOTHING_FOUND, requests, refused: refusalOf('prospecting', error.refusal) };
    }
    if (!isDailyLimit(error)) throw error;
    return conclude(deps, input, plan, { requests: booking.requests, rows: writer.rows.length, limited: true });
  }
  await writer.commit();
  return conclude(deps, input, plan, { requests: booking.requests, rows: writer.rows.length, limited: false });
}

/** One round of a market's search, that is, one call of the activity. */
interface Round {
  deps: CrawlDeps;
  input: DiscoverInput;
  plan: Plan;
  /** Landed answers by request key. */
  answers: Map<string, PlanAnswer>;
  /** Sends a search and lands its answer. */
  keep: AskPlan;
  heartbeat: Heartbeat;
  booking: RequestLog;
}

/** Sends the plan's searches, several at the same time, until the plan is done or the budget is spent. */
async function search({ deps, input, plan, answers, keep, heartbeat, booking }: Round): Promise<void> {
  const share = mostInFlight(deps, input.concurrency);
  const inFlight = new Set<Promise<void>>();
  let sent = 0;
  const failed: { error?: unknown; yes: boolean } = { yes: false };

  const ask = async (request: PlanRequest): Promise<void> => {
    plan.answer(request.key, await keep(request));
    const { distinct, reportedTotal } = plan.stats();
    heartbeat.report({ step: 'search', done: distinct, total: reportedTotal, requests: booking.requests });
  };

  while (!plan.done && !failed.yes) {
    replay(
      plan,
      answers,
      (request) => {
        sent++;
        const asking = ask(request)
          .catch((error: unknown) => {
            if (!failed.yes) Object.assign(failed, { yes: true, error });
          })
          .finally(() => inFlight.delete(asking));
        inFlight.add(asking);
      },
      () => Math.min(share - inFlight.size, input.budget - sent),
    );
    if (inFlight.size === 0) break;
    await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
  if (failed.yes) throw failed.error;
  if (!plan.done && sent < input.budget) throw new Error('the search plan is not done, but has no request to send');
}

/**
 * Gives landed answers to the plan. For a search without an answer, calls `ask`, but only while `room()` is above 0.
 */
function replay(
  plan: Plan,
  answers: Map<string, PlanAnswer>,
  ask?: (request: PlanRequest) => void,
  room: () => number = () => 1,
): void {
  while (!plan.done && room() > 0) {
    const requests = plan.next(room());
    for (const request of requests) {
      const known = answers.get(request.key);
      if (known) plan.answer(request.key, known);
      else ask?.(request);
    }
    if (requests.length === 0) return;
  }
}

/** Sends one search of a plan without landing the answer. */
export async function askSearch(deps: CrawlDeps, request: PlanRequest, heartbeat: Heartbeat): Promise<PlanAnswer> {
  return answerOf(await askPage(deps, request, heartbeat));
}

async function askPage(deps: CrawlDeps, request: PlanRequest, heartbeat: Heartbeat): Promise<NewRow> {
  try {
    const response = await sendSearch(deps, request, heartbeat);
    return { ...rowOf(response, null, request.segment), request_key: request.key };
  } catch (error) {
    // The plan needs to know that the API does not accept this search. So return the refusal as an answer.
    if (error instanceof InvalidRequestError) return refusal(error, request, Math.max(error.status, 400));
    if (isRefusal(error) && request.purpose !== 'guess') {
      await requireSearch(deps, request, error, heartbeat);
      return refusal(error, request, 403);
    }
    if (!(await isOnlyThisSearch(deps, error, request, heartbeat))) throw error;
    const fault = error as ApiError;
    // A `guess` tests a filter that may not work, so the plan can continue without its answer. Land a failed guess as a
    // refusal (400), not as a fault of the API.
    return refusal(fault, request, request.purpose === 'guess' ? 400 : Math.max(fault.status, 500));
  }
}

function refusal(error: ApiError, { key, segment }: PlanRequest, status: number): NewRow {
  return {
    request_key: key,
    entity_id: null,
    row_kind: segment,
    status,
    fetched_at: error.fetchedAt,
    body: error.message,
  };
}

/**
 * Whether only this search fails, even after several attempts of the activity. The plan then reports the gap and reads
 * the rest of the market, because one page without an answer must not stop a night.
 */
async function isOnlyThisSearch(
  deps: CrawlDeps,
  error: unknown,
  request: PlanRequest,
  heartbeat: Heartbeat,
): Promise<boolean> {
  if (heartbeat.signal.aborted) return false;
  if (isLimit(error)) {
    if (heartbeat.attempt < LAST_PATIENT_ATTEMPT || mustAnswer(request)) return false;
    return isLimitedAlone(
      () => sendSearch(deps, request, heartbeat),
      () => sendPlainSearch(deps, request, heartbeat),
    );
  }
  // A `guess` tests a filter that may not work, so the plan can continue without its answer. Accept its failure already
  // in the first attempt.
  if (request.purpose === 'guess') {
    return error instanceof ApiError && !isDailyLimit(error) && (await apiAnswers(deps.client, heartbeat.signal));
  }
  const isPatient = heartbeat.attempt < LAST_PATIENT_ATTEMPT && !isPermanent(error);
  if (isPatient || stopsEverything(error) || mustAnswer(request)) return false;
  return apiAnswers(deps.client, heartbeat.signal);
}

/** Whether the plan cannot continue without an answer to this search. */
function mustAnswer({ purpose }: PlanRequest): boolean {
  return purpose === 'calibration' || purpose === 'final';
}

/**
 * Finds out whether the API refuses all searches, or only the search `request`. Sends a search without filters up to
 * PLAIN_SEARCHES times. If the API answers one, it refuses only `request`; the plan then reports the gap.
 * @throws RouteRefusedError when the API refuses the searches without filters, too
 */
async function requireSearch(
  deps: CrawlDeps,
  request: PlanRequest,
  error: ApiError,
  heartbeat: Heartbeat,
): Promise<void> {
  for (let asked = 0; asked < PLAIN_SEARCHES; asked++) {
    try {
      await sendPlainSearch(deps, request, heartbeat);
      return;
    } catch (fault) {
      if (!isRefusal(fault)) throw fault;
    }
  }
  throw new RouteRefusedError(error, true);
}

/** Sends a search without filters. InvalidRequest counts as an answer, because it shows that the API key may search. */
async function sendPlainSearch(deps: CrawlDeps, { route, per_page }: PlanRequest, heartbeat: Heartbeat): Promise<void> {
  try {
    await sendSearch(deps, { route, per_page, page: 1, filters: {} }, heartbeat);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
  }
}

async function sendSearch(
  { client }: CrawlDeps,
  { route, page, per_page, filters }: Pick<PlanRequest, 'route' | 'page' | 'per_page' | 'filters'>,
  { signal }: Heartbeat,
): Promise<ApiResponse<unknown>> {
  const ask = { page, per_page, filters };
  return route === 'v1' ? client.v1.companies(ask, { signal }) : client.v2.prospecting(ask, { signal });
}

/**
 * Converts a landed page to an answer for the plan. Reads ids from the JSON text, as the warehouse does, so that long
 * ids are not rounded.
 */
function answerOf(row: Pick<LandedRow, 'status' | 'body'>): PlanAnswer {
  if (row.status >= 400) return { refused: row.body };
  const { total_companies, total_pages, pages } = readJson(row.body) as Record<string, unknown>;
  const ids = keysOf(readItems(row.body));
  if (pages !== undefined && total_companies === undefined) {
    const count = readCount(pages);
    return count === null ? { refused: unusable('pages') } : { pages: count, ids };
  }
  const total = readCount(total_companies ?? ids.length);
  if (total === null) return { refused: unusable('total_companies') };
  return { total, totalPages: readCount(total_pages) ?? 1, ids };
}

function unusable(field: string): string {
  return `the API's ${field} is not a whole number from 0 to 2^53 - 1`;
}

async function conclude(
  deps: CrawlDeps,
  { ctx }: DiscoverInput,
  plan: Plan,
  counts: Pick<DiscoverResult, 'requests' | 'rows' | 'limited'>,
): Promise<DiscoverResult> {
  const { distinct, reportedTotal } = plan.stats();
  const open = { ...counts, done: false, reportedTotal, distinctCompanies: distinct, coverage: null, causes: [] };
  if (!plan.done || counts.limited) return open;
  if (plan.refused) {
    throw filtersRefused(ctx, plan.refused);
  }
  const coverage = plan.coverage();
  await landRecords(deps, ctx, 'segments', 'search', plan.segments());
  await landRecords(deps, ctx, 'coverage', 'search', [coverage]);
  // If the share is unknown, the market has at least `reported_total` companies.
  const share = coverage.share ?? coverage.distinct_companies / Math.max(1, coverage.reported_total);
  await keepCalibration(deps, ctx, plan.calibration(), share);
  return {
    ...open,
    done: true,
    coverage: {
      reportedTotal: coverage.reported_total,
      distinctCompanies: coverage.distinct_companies,
      missing: coverage.missing,
      share: coverage.share,
      ...(coverage.certificate.moved.missing > 0 ? { moved: coverage.certificate.moved.missing } : {}),
    },
    causes: coverage.causes ?? [],
  };
}
