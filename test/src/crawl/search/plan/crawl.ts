import { setImmediate } from 'node:timers/promises';
import {
  Plan,
  type Dimension,
  type PlanAnswer,
  type PlanInput,
  type PlanRequest,
  type Remainder,
} from '../../../../../src/crawl/search/plan/index.js';
import type { SimulatedMarket } from './simulated-market.js';

export const statuses: Dimension = { kind: 'categorical', key: 'company_status', values: [199, 200, 201] };
export const incorporation: Dimension = {
  kind: 'range',
  key: 'company_incorporation',
  type: 'date',
  nullValue: null,
};
export const legalForms: Dimension = {
  kind: 'categorical',
  key: 'legal_form',
  values: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
};
export const countries: Dimension = {
  kind: 'categorical',
  key: 'location_countries',
  values: Array.from({ length: 30 }, (_, i) => i + 1),
};
export const activities: Dimension = {
  kind: 'categorical',
  key: 'activity_type',
  values: [1, 2, 3],
  overlapping: true,
};
export const employees: Dimension = {
  kind: 'range',
  key: 'number_of_employees',
  type: 'integer',
  min: 0,
  max: 100_000,
};
export const turnover: Dimension = { kind: 'range', key: 'financial_turnover', type: 'decimal', min: 0, max: 1e9 };

export const allDimensions = [statuses, incorporation, legalForms, countries, activities, employees, turnover];

/** The remainder of a night that also fetches `records` records. */
export function remainder(share: number, records = 0, limit: number | null = null): Remainder {
  return { share, records: () => records, limit };
}

export function planInput(overrides: Partial<PlanInput> = {}): PlanInput {
  return {
    market: 'test',
    filters: {},
    dimensions: allDimensions,
    perPage: 1_000,
    horizon: { from: '1500-01-01', to: '2026-11-20' },
    ...overrides,
  };
}

export interface CrawlOptions {
  inFlight?: number;
  /** Chooses the request in flight that is answered next; the oldest by default. */
  pick?: (inFlight: number, step: number) => number;
  /** Called before each answer. */
  before?: (request: PlanRequest, step: number) => void;
  /** Gives no more answers after this many. */
  stopAfter?: number;
  /** Answers of an earlier crawl, by key. */
  landed?: ReadonlyMap<string, PlanAnswer>;
}

/** Searches a market with a plan until it is done. Returns the plan, and the answers that were not landed before. */
export async function crawl(
  input: PlanInput,
  market: SimulatedMarket,
  { inFlight = 16, pick = () => 0, before, stopAfter = Infinity, landed }: CrawlOptions = {},
): Promise<{ plan: Plan; answers: Map<string, PlanAnswer> }> {
  const answers = new Map<string, PlanAnswer>();
  const open: { request: PlanRequest; resolve: (answer: PlanAnswer | undefined) => void }[] = [];
  const send = async (request: PlanRequest): Promise<PlanAnswer | undefined> =>
    landed?.get(request.key) ?? new Promise((resolve) => open.push({ request, resolve }));
  const plan = new Plan(input, send, inFlight);
  const run = plan.run();
  await setImmediate();
  for (let step = 0; open.length > 0; step++) {
    const [{ request, resolve }] = open.splice(step < stopAfter ? pick(open.length, step) : 0, 1) as [(typeof open)[0]];
    if (step < stopAfter) {
      before?.(request, step);
      if (answers.has(request.key)) throw new Error(`asked twice: ${request.key}`);
      answers.set(request.key, market.answer(request));
    }
    resolve(answers.get(request.key));
    await setImmediate();
  }
  await run;
  return { plan, answers };
}

/** Searches a market. Returns the plan with its figures. */
export async function crawlMarket(
  market: SimulatedMarket,
  overrides: Partial<PlanInput> = {},
  options: CrawlOptions = {},
) {
  const { plan, answers } = await crawl(planInput(overrides), market, options);
  const { requests, distinct } = plan.stats();
  const size = Math.min(market.quirks.maxSize ?? 100, overrides.perPage ?? 1_000);
  return {
    plan,
    answers,
    requests,
    distinct,
    coverage: plan.coverage(),
    ratio: requests / Math.max(1, Math.ceil(distinct / size)),
  };
}
