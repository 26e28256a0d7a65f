import {
  V1CompaniesPage,
  V1Company,
  type V1CompaniesRequest,
  type V1CompanyFilters,
  type V1CompanySummary,
} from '../../../schemas/v1/company.js';
import {
  V1CompanyExecutivesPage,
  V1Executive,
  V1ExecutivesPage,
  type V1CompanyExecutivesQuery,
  type V1ExecutiveItem,
  type V1ExecutivesRequest,
} from '../../../schemas/v1/executive.js';
import { V1FinancialReport } from '../../../schemas/v1/financial-report.js';
import { Nomenclatures, TenderNomenclatures } from '../../../schemas/v1/nomenclature.js';
import {
  TenderDetails,
  TendersPage,
  type TenderFilters,
  type TenderSummary,
  type TendersRequest,
} from '../../../schemas/v1/tender.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { ApiError } from '../errors.js';
import { listing, type Listing } from '../listing.js';
import type { ApiResponse, CallOptions, Documented } from '../options.js';
import { landed, opaque, page, record } from '../route.js';

const route = {
  companies: page('POST /v1/finder/companies', V1CompaniesPage),
  company: landed('GET /v1/finder/company/details', V1Company.partial()),
  financial: landed('GET /v1/finder/company/financial', V1FinancialReport.partial()),
  companyExecutives: page('GET /v1/finder/company/executives', V1CompanyExecutivesPage),
  executives: page('POST /v1/finder/executives', V1ExecutivesPage),
  executive: record('GET /v1/finder/executive/details', V1Executive.partial()),
  tenders: page('POST /v1/finder/tenders', TendersPage),
  tenderDetails: record('GET /v1/finder/tenders/details', TenderDetails.partial()),
  tenderNomenclatures: record('GET /v1/finder/tenders/nomenclatures', TenderNomenclatures.partial()),
  tenderDonors: opaque('GET /v1/finder/tenders/donors'),
  nomenclatures: record('GET /v1/finder/nomenclatures', Nomenclatures.partial()),
  nomenclaturesByPost: record('POST /v1/finder/nomenclatures', Nomenclatures.partial()),
} as const;

/**
 * Query of a tender search. `filters` holds documented filters, or any filters from the configuration, which are sent
 * unchanged.
 */
export type TendersQuery = Omit<TendersRequest, 'filters'> & {
  filters?: TenderFilters | Record<string, unknown> | undefined;
};

/**
 * Query of a company search. `filters` holds documented filters, or any filters from the configuration, which are sent
 * unchanged.
 */
export type V1CompaniesQuery = Omit<V1CompaniesRequest, 'filters'> & {
  filters: V1CompanyFilters | Record<string, unknown>;
};

/** Query of one company's executives. The company's id may be a number or text. */
export type V1CompanyExecutivesAsk = Omit<V1CompanyExecutivesQuery, 'id'> & { id: Id };

/** Query of a search for executives. The company's id may be a number or text. */
export type V1ExecutivesQuery = Omit<V1ExecutivesRequest, 'filters'> & {
  filters?:
    | (Omit<NonNullable<V1ExecutivesRequest['filters']>, 'company_id'> & { company_id?: Id | undefined })
    | undefined;
};

// Interfaces and not type aliases, because test/repo/routes.test.ts recognises each list by the name of its type.
export interface V1CompanySearch extends Listing<V1CompaniesQuery, V1CompaniesPage, V1CompanySummary> {}
export interface V1CompanyExecutivesList extends Listing<
  V1CompanyExecutivesAsk,
  V1CompanyExecutivesPage,
  V1Executive
> {}
export interface V1ExecutiveSearch extends Listing<V1ExecutivesQuery, V1ExecutivesPage, V1ExecutiveItem> {}
export interface TenderSearch extends Listing<TendersQuery, TendersPage, TenderSummary> {}

/**
 * Calls of version 1 at `{baseUrl}/v1/finder` (reference v1, section "Endpoints"). The client sends the parameters of
 * GET requests in the query.
 */
export interface V1Endpoints {
  /**
   * Returns one page of companies. `pages` says how many pages the API shows for this search. An item without an id
   * becomes null.
   */
  companies: V1CompanySearch;
  /** Returns company details (section "Version 1 company details"). Throws NotFoundError when the company is gone. */
  company(id: Id, call?: CallOptions): Promise<ApiResponse<Documented<V1Company>>>;
  /** Returns financial reports (section "Version 1 financial report"). Dates are integers (yyyymmdd). */
  financial(id: Id, call?: CallOptions): Promise<ApiResponse<Documented<V1FinancialReport>>>;
  /** Returns one page of a company's executives (`list`), which is personal data. */
  companyExecutives: V1CompanyExecutivesList;
  /** Returns one page of executives who match filters on the company and the person. The page is personal data. */
  executives: V1ExecutiveSearch;
  /** Returns an executive's contact details (section "Version 1 executive"), which are personal data. */
  executive(id: Id, call?: CallOptions): Promise<ApiResponse<Documented<V1Executive>>>;
  /**
   * Returns one page of tenders (section "Tender filters"). The answer has no page count, so read pages until
   * `total_results` rows were read or a page is empty.
   */
  tenders: TenderSearch;
  /**
   * Returns a tender (section "Tender details"). Dates have no zone, and `description` is HTML. Throws NotFoundError
   * when no tender has this slug.
   */
  tenderDetails(slug: string, call?: CallOptions): Promise<ApiResponse<Documented<TenderDetails>>>;
  /** Returns the lookup lists of tenders. The country ids in these lists differ from the country ids of companies. */
  tenderNomenclatures(call?: CallOptions): Promise<ApiResponse<Documented<TenderNomenclatures>>>;
  /** Returns the donors of tenders. The reference does not show the body. */
  tenderDonors(call?: CallOptions): Promise<ApiResponse<unknown>>;
  /**
   * Returns the lookup lists of companies. Sends GET, as the sample in the reference does. After a 404 or 405, sends
   * POST, because the reference also names POST as the method.
   */
  nomenclatures(call?: CallOptions): Promise<ApiResponse<Documented<Nomenclatures>>>;
}

/** Creates the version 1 endpoints, which send their requests through `caller`. */
export function createV1Endpoints(caller: Caller): V1Endpoints {
  return {
    companies: listing(caller, route.companies, (query) => ({ body: query })),
    company: async (id, call) => caller.call(route.company, { query: { id: String(id) } }, call),
    financial: async (id, call) => caller.call(route.financial, { query: { id: String(id) } }, call),
    companyExecutives: listing(caller, route.companyExecutives, (query) => ({
      query: { ...query, id: String(query.id) },
    })),
    executives: listing(caller, route.executives, (query) => ({ body: query })),
    executive: async (id, call) => caller.call(route.executive, { query: { id: String(id) } }, call),
    tenders: listing(caller, route.tenders, (query) => ({ body: query })),
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
