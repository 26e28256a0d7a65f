import {
  V1CompaniesPage,
  type V1CompaniesRequest,
  type V1Company,
  type V1CompanyFilters,
} from '../../schemas/v1/company.js';
import {
  V1CompanyExecutivesPage,
  V1ExecutivesPage,
  type V1CompanyExecutivesQuery,
  type V1Executive,
  type V1ExecutivesRequest,
} from '../../schemas/v1/executive.js';
import type { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import type { Nomenclatures, TenderNomenclatures } from '../../schemas/v1/nomenclature.js';
import { TendersPage, type TenderDetails, type TenderFilters, type TendersRequest } from '../../schemas/v1/tender.js';
import type { Id } from '../../schemas/v2/scalars.js';
import type { Caller } from './caller.js';
import { ApiError } from './errors.js';
import type { ApiResponse, CallOptions, Unchecked } from './options.js';
import { opaque, page, record } from './readers.js';

const route = {
  companies: { endpoint: 'POST /v1/finder/companies', reader: page(V1CompaniesPage), repeat: 'always' },
  company: { endpoint: 'GET /v1/finder/company/details', reader: record<V1Company>(), repeat: 'always' },
  financial: { endpoint: 'GET /v1/finder/company/financial', reader: record<V1FinancialReport>(), repeat: 'always' },
  companyExecutives: {
    endpoint: 'GET /v1/finder/company/executives',
    reader: page(V1CompanyExecutivesPage),
    repeat: 'always',
  },
  executives: { endpoint: 'POST /v1/finder/executives', reader: page(V1ExecutivesPage), repeat: 'always' },
  executive: { endpoint: 'GET /v1/finder/executive/details', reader: record<V1Executive>(), repeat: 'always' },
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

/** Filters as documented, or verbatim from a configuration. */
export type V1CompaniesQuery = Omit<V1CompaniesRequest, 'filters'> & {
  filters: V1CompanyFilters | Record<string, unknown>;
};

/** Query of the executives of one company; the id as number or text. */
export type V1CompanyExecutivesAsk = Omit<V1CompanyExecutivesQuery, 'id'> & { id: Id };

/** Version 1, `{baseUrl}/v1/finder` (reference v1, section "Endpoints"). Parameters of GET go into the query. */
export interface V1Endpoints {
  /** One page of companies; `pages` is how many can be reached with the filter. An item without an id is null. */
  companies(query: V1CompaniesQuery, call?: CallOptions): Promise<ApiResponse<V1CompaniesPage>>;
  /** Company details, unchecked. NotFoundError when the company is gone. */
  company(id: Id, call?: CallOptions): Promise<ApiResponse<Unchecked<V1Company>>>;
  /** Financial reports, unchecked; dates are integers yyyymmdd. */
  financial(id: Id, call?: CallOptions): Promise<ApiResponse<Unchecked<V1FinancialReport>>>;
  /** One page of a company's executives (`list`). Personal data. */
  companyExecutives(query: V1CompanyExecutivesAsk, call?: CallOptions): Promise<ApiResponse<V1CompanyExecutivesPage>>;
  /** One page of executives by company and person filters. Personal data. */
  executives(query?: V1ExecutivesRequest, call?: CallOptions): Promise<ApiResponse<V1ExecutivesPage>>;
  /** Contact details of an executive, unchecked. Personal data. */
  executive(id: Id, call?: CallOptions): Promise<ApiResponse<Unchecked<V1Executive>>>;
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
    companies: async (query, call) => caller.call(route.companies, { body: query }, call),
    company: async (id, call) => caller.call(route.company, { query: { id: String(id) } }, call),
    financial: async (id, call) => caller.call(route.financial, { query: { id: String(id) } }, call),
    companyExecutives: async (query, call) =>
      caller.call(route.companyExecutives, { query: { ...query, id: String(query.id) } }, call),
    executives: async (query = {}, call) => caller.call(route.executives, { body: query }, call),
    executive: async (id, call) => caller.call(route.executive, { query: { id: String(id) } }, call),
    tenders: async (query = {}, call) => caller.call(route.tenders, { body: query }, call),
    tenderDetails: async (slug, call) => caller.call(route.tenderDetails, { query: { slug } }, call),
    tenderNomenclatures: async (call) => caller.call(route.tenderNomenclatures, {}, call),
    tenderDonors: async (call) => caller.call(route.tenderDonors, {}, call),
    nomenclatures: async (call) => {
      try {
        return await caller.call(route.nomenclatures, {}, call);
      } catch (error) {
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 405))) throw error;
      }
      return caller.call(route.nomenclaturesByPost, { body: {} }, call);
    },
  };
}
