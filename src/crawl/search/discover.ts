import type { DiscoverInput, DiscoverResult } from '../../../schemas/pipeline/activities.js';
import type { ForecastRecord } from '../../../schemas/pipeline/landing.js';
import type { ApiError, ApiResponse } from '../../api/index.js';
import { PartWriter, pullRows, readRunRows, textOf, type NewRow } from '../../landing/index.js';
import { takeUnlessLost } from '../../warehouse/builds/take-published.js';
import { keysOf, readItems } from '../../base/company-id.js';
import { readJson } from '../../base/json/json-nodes.js';
import type { RequestLog } from '../../landing/request-log.js';
import type { Plan, PlanAnswer, PlanRequest } from './plan/index.js';
import { rowOf } from '../records/answer.js';
import { landRecords, partOf } from '../records/land-records.js';
import { mostInFlight, type CrawlDeps, type Heartbeat } from '../records/deps.js';
import { forecastMarket, planMarket } from './forecast.js';
import { keepCalibration, knownMarketOf } from './known-market.js';
import { readCount } from '../records/read-count.js';
import { askOne, compareWith } from '../attempt/ask-each.js';
import { landAttempt } from '../attempt/land-attempt.js';
import type { Subject } from '../judge/judge.js';
import { kindOf } from '../judge/kinds.js';
import { filtersRefused, refusalOf } from '../judge/refusal.js';

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
  const target = partOf(deps, ctx, 'prospecting', `search-${String(round).padStart(4, '0')}`);
  await pullRows(deps.data, { streams: ['nomenclatures'] });
  await pullRows(deps.data, { streams: ['prospecting'], run: ctx });
  // The published build says how the market looked last night. Without it, the search needs more requests.
  if (round === 0)
    await takeUnlessLost(deps.config, (fault) =>
      deps.log.warn(`${fault} The search uses an older build of this machine, or none.`),
    );
  const known = await knownMarketOf(deps, ctx, round);
  const answers = new Map(readRunRows(target).map((row) => [row.request_key, answerOf(row)]));
  const done = await PartWriter.committed(target);
  const budget = done ? 0 : input.budget;
  let sent = 0;
  let booking: RequestLog | undefined;
  const keep = async (request: PlanRequest): Promise<PlanAnswer> => {
    sent += 1;
    const row = await askPage(deps, request, heartbeat);
    await writer.append(row);
    const answer = answerOf(row);
    answers.set(request.key, answer);
    return answer;
  };
  const send = async (request: PlanRequest): Promise<PlanAnswer | undefined> => {
    const landed = answers.get(request.key);
    if (landed || sent >= budget) return landed;
    const answer = await keep(request);
    const { distinct, reportedTotal } = plan.stats();
    heartbeat.report({ step: 'search', done: distinct, total: reportedTotal, requests: booking?.requests ?? 0 });
    return answer;
  };
  const plan = planMarket(deps.config, ctx, known, send, mostInFlight(deps, input.concurrency));
  if (done) {
    await plan.run();
    return conclude(deps, input, plan, { requests: 0, rows: done.rows, limited: false });
  }

  const writer = await PartWriter.open(target);
  for (const row of writer.rows) answers.set(row.request_key, answerOf(row));
  const ended = await landAttempt({ deps, ctx, heartbeat }, target, writer, async (requests) => {
    booking = requests;
    if (round === 0) {
      const ask = async (request: PlanRequest) => answers.get(request.key) ?? keep(request);
      const forecast = await forecastMarket(deps, ctx, known, ask);
      // The view ops.forecasts compares the forecast with the requests that the run sent.
      const records: ForecastRecord[] = forecast.streams;
      await landRecords(deps, ctx, 'forecasts', 'forecast', records);
    }
    await plan.run();
    if (!plan.done && sent < budget) throw new Error('the search plan is not done, but has no request to send');
  });
  const counts = { requests: ended.requests, rows: ended.rows, limited: ended.how === 'limited' };
  if (ended.how !== 'closed') return conclude(deps, input, plan, counts);
  return { ...soFar(plan, counts), refused: refusalOf('prospecting', ended.error) };
}

/** Sends one search of a plan without landing the answer. */
export async function askSearch(deps: CrawlDeps, request: PlanRequest, heartbeat: Heartbeat): Promise<PlanAnswer> {
  return answerOf(await askPage(deps, request, heartbeat));
}

/** The subject of a search for the judge. The plan cannot continue without a calibration or final search. */
const SUBJECTS: Partial<Record<PlanRequest['purpose'], Subject>> = {
  guess: 'guess',
  calibration: 'needed search',
  final: 'needed search',
};

/** Sends one search. If only this search fails, its error is the answer, so that the plan reports the gap. */
async function askPage(deps: CrawlDeps, request: PlanRequest, heartbeat: Heartbeat): Promise<NewRow> {
  const { key, segment, purpose, route, per_page } = request;
  const plain = { route, per_page, page: 1, filters: {} };
  const answer = await askOne(deps, heartbeat, {
    of: SUBJECTS[purpose] ?? 'search',
    send: () => sendSearch(deps, request, heartbeat),
    other: () => compareWith(() => sendSearch(deps, plain, heartbeat)),
  });
  if ('result' in answer) return { ...rowOf(answer.result, null, segment), request_key: key };
  const { error } = answer;
  const { fetchedAt: fetched_at, message: body } = error;
  return { request_key: key, entity_id: null, row_kind: segment, status: statusOf(error, purpose), fetched_at, body };
}

/** Status below 500: the API does not accept the search. From 500 on: it did not answer the search. */
function statusOf(error: ApiError, purpose: PlanRequest['purpose']): number {
  const kind = kindOf(error);
  if (kind === 'invalid') return Math.max(error.status, 400);
  // A `guess` tests a filter that may not work, so the plan can continue without its answer.
  if (purpose === 'guess') return 400;
  return kind === 'refused' ? 403 : Math.max(error.status, 500);
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
function answerOf(row: Pick<NewRow, 'status' | 'body'>): PlanAnswer {
  const body = textOf(row);
  if (row.status >= 400) return { refused: body };
  const { total_companies, total_pages, pages } = readJson(body) as Record<string, unknown>;
  const ids = keysOf(readItems(body));
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

type Counts = Pick<DiscoverResult, 'requests' | 'rows' | 'limited'>;

/** The result of a round whose search goes on in a later round. */
function soFar(plan: Plan, counts: Counts): DiscoverResult {
  const { distinct, reportedTotal } = plan.stats();
  return { ...counts, done: false, reportedTotal, distinctCompanies: distinct, coverage: null, causes: [] };
}

async function conclude(deps: CrawlDeps, { ctx }: DiscoverInput, plan: Plan, counts: Counts): Promise<DiscoverResult> {
  if (!plan.done || counts.limited) return soFar(plan, counts);
  if (plan.refused) throw filtersRefused(ctx, plan.refused);
  const coverage = plan.coverage();
  await landRecords(deps, ctx, 'segments', 'search', plan.segments());
  await landRecords(deps, ctx, 'coverage', 'search', [coverage]);
  // If the share is unknown, the market has at least `reported_total` companies.
  const share = coverage.share ?? coverage.distinct_companies / Math.max(1, coverage.reported_total);
  await keepCalibration(deps, ctx, plan.calibration(), share);
  return {
    ...soFar(plan, counts),
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
