import {
  createPlan,
  type Dimension,
  type Plan,
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
  /** Stops after this many answers. */
  stopAfter?: number;
}

/** Answers a plan's requests from a market until it is done; returns the answers. */
export function crawl(plan: Plan, market: SimulatedMarket, options: CrawlOptions = {}): Map<string, PlanAnswer> {
  const { inFlight = 16, pick = () => 0, before, stopAfter = Infinity } = options;
  const answers = new Map<string, PlanAnswer>();
  const open: PlanRequest[] = [];
  for (let step = 0; !plan.done && step < stopAfter; step++) {
    open.push(...plan.next(inFlight - open.length));
    if (open.length === 0) throw new Error('the plan waits for nothing');
    const [request] = open.splice(pick(open.length, step), 1);
    before?.(request!, step);
    const answer = market.answer(request!);
    if (answers.has(request!.key)) throw new Error(`asked twice: ${request!.key}`);
    answers.set(request!.key, answer);
    plan.answer(request!.key, answer);
  }
  return answers;
}

/** Crawls a market and returns the plan with its figures. */
export function crawlMarket(market: SimulatedMarket, overrides: Partial<PlanInput> = {}, options: CrawlOptions = {}) {
  const plan = createPlan(planInput(overrides));
  const answers = crawl(plan, market, options);
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
