import type { Company } from '../../schemas/v2/company.js';
import type { FinancialQuery, FinancialReport } from '../../schemas/v2/financial-report.js';
import { MetricsReading } from '../../schemas/v2/metrics.js';
import { ProspectingPage, type ProspectingFilters, type ProspectingRequest } from '../../schemas/v2/prospecting.js';
import type { Id } from '../../schemas/v2/scalars.js';
import type { Caller } from './caller.js';
import { createWatchEndpoints, type WatchEndpoints } from './endpoints-v2-watch.js';
import type { ApiResponse, CallOptions, Unchecked } from './options.js';
import { page, record } from './readers.js';
import { prepareRequest } from './request.js';

const route = {
  metrics: { endpoint: 'GET /v2/metrics', reader: page(MetricsReading), repeat: 'always' },
  prospecting: { endpoint: 'POST /v2/prospecting', reader: page(ProspectingPage), repeat: 'always' },
  company: { endpoint: 'GET /v2/companies/{id}', reader: record<Company>(), repeat: 'always' },
  financial: { endpoint: 'GET /v2/financial/{id}', reader: record<FinancialReport>(), repeat: 'always' },
} as const;

/** Filters as documented, or verbatim from a configuration: they are sent as given, unknown keys too. */
export type ProspectingQuery = Omit<ProspectingRequest, 'filters'> & {
  filters?: ProspectingFilters | Record<string, unknown> | undefined;
};

/** Version 2, `{baseUrl}/v2` (reference v2, section "Endpoints"). */
export interface V2Endpoints {
  /** Usage: groups of metrics, `used` of `total`. A `total` of 0 (or null) means that there is no figure. */
  metrics(call?: CallOptions): Promise<ApiResponse<MetricsReading>>;
  /**
   * One page of a company search. `page` is at most 10; believe `data.length` and `total_pages`, not the `per_page`
   * asked for. An item without an id is null; ids are numbers or text. Refusals are InvalidRequestError.
   */
  prospecting(query: ProspectingQuery, call?: CallOptions): Promise<ApiResponse<ProspectingPage>>;
  /** Company record, unchecked (schemas/v2/company.ts). NotFoundError when the company is gone. */
  company(id: Id, call?: CallOptions): Promise<ApiResponse<Unchecked<Company>>>;
  /**
   * Financial report keyed by year, unchecked; may be empty. Money is in each year's `Currency`. `year` is sent as
   * query parameter (the reference lists it as a body parameter of a GET): an API that overlooks it gives all years.
   */
  financial(id: Id, query?: FinancialQuery, call?: CallOptions): Promise<ApiResponse<Unchecked<FinancialReport>>>;
  watch: WatchEndpoints;
}

/** Binds the routes of version 2 to a caller. */
export function createV2Endpoints(caller: Caller): V2Endpoints {
  return {
    metrics: async (call) => caller.call(route.metrics, prepareRequest(route.metrics.endpoint, {}), call),
    prospecting: async (query, call) =>
      caller.call(route.prospecting, prepareRequest(route.prospecting.endpoint, { body: query }), call),
    company: async (id, call) =>
      caller.call(route.company, prepareRequest(route.company.endpoint, { ids: [id] }), call),
    financial: async (id, query = {}, call) =>
      caller.call(route.financial, prepareRequest(route.financial.endpoint, { ids: [id], query }), call),
    watch: createWatchEndpoints(caller),
  };
}
