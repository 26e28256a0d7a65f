import {
  Plan,
  type Calibration,
  type Dimension,
  type PlanAnswer,
  type PlanInput,
  type PlanRequest,
} from '../../src/crawl/search/plan/index.js';
import { dayNumber, dayText } from '../../src/crawl/search/plan/days.js';
import { Account } from './account.js';
import { NONE } from './columns.js';
import type { Market } from './market.js';
import type { LargestDay } from './overflows.js';
import { ACTIVITIES, COUNTRIES, FIRST_DAY, LAST_DAY, LEGAL_FORMS, STATUSES } from './register.js';

/**
 * Dimensions along which the nightly crawl splits markets (`src/crawl/search/dimensions.ts`), with the values of the simulated
 * register.
 */
export const DIMENSIONS: readonly Dimension[] = [
  { kind: 'categorical', key: 'company_status', values: STATUSES },
  { kind: 'range', key: 'company_incorporation', type: 'date' },
  { kind: 'categorical', key: 'legal_form', values: LEGAL_FORMS },
  { kind: 'categorical', key: 'location_countries', values: COUNTRIES, list: 'include' },
  { kind: 'categorical', key: 'activity_type', values: ACTIVITIES, overlapping: true },
  { kind: 'range', key: 'number_of_employees', type: 'integer', min: 0, max: 10_000 },
  { kind: 'range', key: 'financial_turnover', type: 'decimal', min: 0, max: 1_000_000_000 },
];

/** Page size to request while the API's largest page is unknown, as in the nightly crawl. */
const ASK_HIGH = 1_000;
const IN_FLIGHT = 16;

/** Result of one simulated crawl. */
export interface CrawlResult {
  account: Account;
  /** Companies that the plan's coverage reports as missing. */
  missing: number;
  depth: number;
  /** Calibration of the API, for the next night. */
  calibration: Calibration;
}

/**
 * Crawls a market with the planner, with sixteen requests in flight.
 * @throws Error when the plan does not end
 */
export async function crawl(market: Market, overrides: Partial<PlanInput> = {}): Promise<CrawlResult> {
  const { columns, quirks } = market;
  const size = quirks.maxSize ?? 100;
  const mostId = columns.id.reduce((most, id) => Math.max(most, id), 0);
  const account = new Account(size, size * 10, mostId);
  const input = {
    market: 'bench',
    filters: {},
    dimensions: DIMENSIONS,
    perPage: ASK_HIGH,
    horizon: { from: dayText(FIRST_DAY), to: dayText(LAST_DAY) },
    ...overrides,
  };
  const send = async (request: PlanRequest): Promise<PlanAnswer> => {
    const answer = market.answer(request);
    account.book(request, answer);
    return answer;
  };
  const plan = new Plan(input, send, IN_FLIGHT);
  await plan.run();
  if (!plan.done) throw new Error('the plan did not end');
  const segments = plan.segments();
  account.close(segments, largestDayOf(columns.incorporated));
  const depth = segments.reduce((most, segment) => Math.max(most, segment.depth), 0);
  return {
    account,
    missing: plan.coverage().missing,
    depth,
    calibration: plan.calibration(),
  };
}

function largestDayOf(incorporated: Int32Array): LargestDay {
  const counts = new Int32Array(LAST_DAY - FIRST_DAY + 1);
  for (const day of incorporated) if (day !== NONE) counts[day - FIRST_DAY]! += 1;
  return (from, to) => {
    const first = (dayNumber(from ?? '') ?? FIRST_DAY) - FIRST_DAY;
    const last = (dayNumber(to ?? '') ?? LAST_DAY) - FIRST_DAY;
    return counts.subarray(first, last + 1).reduce((most, count) => Math.max(most, count), 0);
  };
}
