import type { RunContext } from '../../../schemas/pipeline/run.js';
import { DEFAULT_REMAINDER } from '../../config/config-schema.js';
import type { Config } from '../../config/config.js';
import { createPlan, toV1Filters, type Plan, type Remainder } from './plan/index.js';
import { readDimensions } from './dimensions.js';
import { forecastStreams } from './forecast.js';
import type { SearchBasis } from './known-market.js';

// Page size to request with `auto`: more rows than the API puts on a page. The plan then uses the number of rows that
// the API returns.
const ASK_HIGH = 1_000;

/** Creates the search plan of a run's market. The same answers always lead to the same plan. */
export function planMarket(config: Config, ctx: RunContext, known: SearchBasis): Plan {
  const { perPage } = config.api;
  return createPlan({
    market: ctx.market ?? '',
    filters: ctx.filters,
    v1Filters: toV1Filters(ctx.filters),
    dimensions: readDimensions(config.dataDir),
    perPage: perPage === 'auto' ? ASK_HIGH : perPage,
    horizon: { from: '1500-01-01', to: ctx.date },
    remainder: remainderOf(config, ctx, known),
    known,
  });
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
