import type { RunContext } from '../../../schemas/pipeline/run.js';
import { DEFAULT_REMAINDER } from '../../config/config-schema.js';
import type { Config } from '../../config/config.js';
import { Plan, toV1Filters, type PlanInput, type Remainder, type Send } from './plan/index.js';
import { readDimensions } from './dimensions.js';
import { forecastStreams } from './forecast.js';
import type { SearchBasis } from './known-market.js';

// Page size to request with `auto`: more rows than the API puts on a page. The plan then uses the number of rows that
// the API returns.
const ASK_HIGH = 1_000;

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
