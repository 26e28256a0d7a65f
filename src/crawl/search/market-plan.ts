import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { Config } from '../../core/config.js';
import { TidemarkError } from '../../core/errors.js';
import { createPlan, toV1Filters, type KnownMarket, type Plan } from '../../planner/index.js';
import { readDimensions } from './dimensions.js';

// Page size to request with `auto`: more rows than the API puts on a page. The plan then uses the number of rows that
// the API returns.
const ASK_HIGH = 1_000;

/** Creates the search plan of a run's market. The same answers always lead to the same plan. */
export function planMarket(config: Config, ctx: RunContext, known: KnownMarket): Plan {
  const { perPage } = config.api;
  return createPlan({
    market: ctx.market ?? '',
    filters: ctx.filters,
    v1Filters: toV1Filters(ctx.filters),
    dimensions: readDimensions(config.dataDir),
    perPage: perPage === 'auto' ? ASK_HIGH : perPage,
    horizon: { from: '1500-01-01', to: ctx.date },
    requestsPerCompany: config.markets.find(({ name }) => name === ctx.market)?.requestsPerCompany ?? 3,
    remainderNights: remainderNightsOf(config, ctx),
    known,
  });
}

/**
 * Returns the number of nights in the rotation that searches for companies without a date of incorporation. With 1,
 * every night searches for all of them.
 */
export function remainderNightsOf(config: Config, ctx: RunContext): number {
  // A rotation needs company records: only they show which companies have no date of incorporation.
  if (!ctx.streams.includes('companies')) return 1;
  return config.markets.find(({ name }) => name === ctx.market)?.remainderNights ?? 1;
}

/** Makes the error for filters that the API rejects. */
export function filtersRefused({ market, filters }: RunContext, refusal: string): TidemarkError {
  return new TidemarkError('ApiRefused', `The API refuses the filters of market ${market}: ${refusal}`, {
    todo: `Correct \`filters\` of that market in tidemark.yaml. Tidemark sends them unchanged: ${JSON.stringify(filters)}.`,
  });
}
