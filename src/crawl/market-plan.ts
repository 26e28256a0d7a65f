import type { RunContext } from '../../schemas/pipeline/run.js';
import type { Config } from '../core/config.js';
import { TidemarkError } from '../core/errors.js';
import { createPlan, toV1Filters, type KnownMarket, type Plan } from '../planner/index.js';
import { readDimensions } from './dimensions.js';

// "auto" asks for more than any API of this kind gives; the plan believes what comes back.
const ASK_HIGH = 1_000;

/** A new plan of a run's market. It learns from answers only: given the same ones it is always the same plan. */
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

/** Nights over which the search for a market's companies without a date is spread; 1: all of it every night. */
export function remainderNightsOf(config: Config, ctx: RunContext): number {
  // Who has no date is known from the records only.
  if (!ctx.streams.includes('companies')) return 1;
  return config.markets.find(({ name }) => name === ctx.market)?.remainderNights ?? 1;
}

/** What a person is told when the API does not take a market's filters. */
export function filtersRefused({ market, filters }: RunContext, refusal: string): TidemarkError {
  return new TidemarkError('ApiRefused', `The API refuses the filters of market ${market}: ${refusal}`, {
    todo: `Correct \`filters\` of that market in tidemark.yaml; they are sent as they stand: ${JSON.stringify(filters)}.`,
  });
}
