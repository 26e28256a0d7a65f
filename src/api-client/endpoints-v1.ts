import type { Nomenclatures, TenderNomenclatures } from '../../schemas/v1/nomenclature.js';
import { TendersPage, type TenderDetails, type TenderFilters, type TendersRequest } from '../../schemas/v1/tender.js';
import type { Caller } from './caller.js';
import { ApiError } from './errors.js';
import type { ApiResponse, CallOptions, Unchecked } from './options.js';
import { opaque, page, record } from './readers.js';
import { prepareRequest } from './request.js';

const route = {
  tenders: { endpoint: 'POST /v1/finder/tenders', reader: page(TendersPage), repeat: 'always' },
  tenderDetails: { endpoint: 'GET /v1/finder/tenders/details', reader: record<TenderDetails>(), repeat: 'always' },
  tenderNomenclatures: {
    endpoint: 'GET /v1/finder/tenders/nomenclatures',
    reader: record<TenderNomenclatures>(),
    repeat: 'always',
  },
  tenderDonors: { endpoint: 'GET /v1/finder/tenders/donors', reader: opaque(), repeat: 'always' },
  nomenclatures: { endpoint: 'GET /v1/finder/nomenclatures', reader: record<Nomenclatures>(), repeat: 'always' },
  nomenclaturesByPost: { endpoint: 'POST /v1/finder/nomenclatures', reader: record<Nomenclatures>(), repeat: 'always' },
} as const;

/** Filters as documented, or verbatim from a configuration. */
export type TendersQuery = Omit<TendersRequest, 'filters'> & {
  filters?: TenderFilters | Record<string, unknown> | undefined;
};

/** Version 1, `{baseUrl}/v1/finder` (reference v1, section "Endpoints"). Parameters of GET go into the query. */
export interface V1Endpoints {
  /** One page of tenders: no number of pages comes, so read until `total_results` or an empty page. */
  tenders(query?: TendersQuery, call?: CallOptions): Promise<ApiResponse<TendersPage>>;
  /** A tender, unchecked. NotFoundError when the slug is gone. Dates are timestamps without zone, `description` HTML. */
  tenderDetails(slug: string, call?: CallOptions): Promise<ApiResponse<Unchecked<TenderDetails>>>;
  /** Lookup lists of tenders; their country ids are not those of companies. */
  tenderNomenclatures(call?: CallOptions): Promise<ApiResponse<Unchecked<TenderNomenclatures>>>;
  /** Donors; the body is not shown by the reference. */
  tenderDonors(call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Lookup lists of companies. Asked with GET (the sample) and, where that is refused, with POST (the route line). */
  nomenclatures(call?: CallOptions): Promise<ApiResponse<Unchecked<Nomenclatures>>>;
}

/** Binds the routes of version 1 to a caller. */
export function createV1Endpoints(caller: Caller): V1Endpoints {
  return {
    tenders: async (query = {}, call) =>
      caller.call(route.tenders, prepareRequest(route.tenders.endpoint, { body: query }), call),
    tenderDetails: async (slug, call) =>
      caller.call(route.tenderDetails, prepareRequest(route.tenderDetails.endpoint, { query: { slug } }), call),
    tenderNomenclatures: async (call) =>
      caller.call(route.tenderNomenclatures, prepareRequest(route.tenderNomenclatures.endpoint, {}), call),
    tenderDonors: async (call) =>
      caller.call(route.tenderDonors, prepareRequest(route.tenderDonors.endpoint, {}), call),
    nomenclatures: async (call) => {
      const byGet = prepareRequest(route.nomenclatures.endpoint, {});
      try {
        return await caller.call(route.nomenclatures, byGet, call);
      } catch (error) {
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 405))) throw error;
      }
      const byPost = prepareRequest(route.nomenclaturesByPost.endpoint, { body: {} });
      return caller.call(route.nomenclaturesByPost, byPost, call);
    },
  };
}
