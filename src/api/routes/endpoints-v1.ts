import {
  V1CompaniesPage,
  V1Company,
  type V1CompaniesRequest,
  type V1CompanyFilters,
} from '../../../schemas/v1/company.js';
import {
  V1CompanyExecutivesPage,
  V1Executive,
  V1ExecutivesPage,
  type V1CompanyExecutivesQuery,
  type V1ExecutivesRequest,
} from '../../../schemas/v1/executive.js';
import { V1FinancialReport } from '../../../schemas/v1/financial-report.js';
import { Nomenclatures, TenderNomenclatures } from '../../../schemas/v1/nomenclature.js';
import { TenderDetails, TendersPage, type TenderFilters, type TendersRequest } from '../../../schemas/v1/tender.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { ApiError } from '../errors.js';
import { listing } from '../listing.js';
import type { CallOptions } from '../options.js';
import { inBody, type RequestParts } from '../request.js';
import { landed, opaque, page, record } from '../route.js';

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

const company = V1Company.partial();
const report = V1FinancialReport.partial();
const executive = V1Executive.partial();
const tender = TenderDetails.partial();
const tenderNomenclatures = TenderNomenclatures.partial();
const nomenclatures = Nomenclatures.partial();

const byId = (id: Id): RequestParts => ({ query: { id: String(id) } });

/**
 * Creates the calls of version 1 at `{baseUrl}/v1/finder` (reference v1, section "Endpoints"). They send the parameters
 * of GET requests in the query.
 */
export function createV1Endpoints({ endpoint }: Caller) {
  const readLists = endpoint(record('GET /v1/finder/nomenclatures', nomenclatures));
  const askLists = endpoint(record('POST /v1/finder/nomenclatures', nomenclatures), () => ({ body: {} }));
  return {
    /**
     * Returns one page of companies. `pages` says how many pages the API shows for this search. An item without an id
     * becomes null.
     */
    companies: listing(endpoint, page('POST /v1/finder/companies', V1CompaniesPage), inBody<V1CompaniesQuery>),
    /** Returns company details (section "Version 1 company details"). Throws NotFoundError when the company is gone. */
    company: endpoint(landed('GET /v1/finder/company/details', company), byId),
    /** Returns financial reports (section "Version 1 financial report"). Dates are integers (yyyymmdd). */
    financial: endpoint(landed('GET /v1/finder/company/financial', report), byId),
    /** Returns one page of a company's executives (`list`), which is personal data. */
    companyExecutives: listing(
      endpoint,
      page('GET /v1/finder/company/executives', V1CompanyExecutivesPage),
      (query: V1CompanyExecutivesAsk) => ({ query: { ...query, id: String(query.id) } }),
    ),
    /** Returns one page of executives who match filters on the company and the person. The page is personal data. */
    executives: listing(endpoint, page('POST /v1/finder/executives', V1ExecutivesPage), inBody<V1ExecutivesQuery>),
    /** Returns an executive's contact details (section "Version 1 executive"), which are personal data. */
    executive: endpoint(record('GET /v1/finder/executive/details', executive), byId),
    /**
     * Returns one page of tenders (section "Tender filters"). The answer has no page count, so read pages until
     * `total_results` rows were read or a page is empty.
     */
    tenders: listing(endpoint, page('POST /v1/finder/tenders', TendersPage), inBody<TendersQuery>),
    /**
     * Returns a tender (section "Tender details"). Dates have no zone, and `description` is HTML. Throws NotFoundError
     * when no tender has this slug.
     */
    tenderDetails: endpoint(record('GET /v1/finder/tenders/details', tender), (slug: string) => ({ query: { slug } })),
    /** Returns the lookup lists of tenders. The country ids in these lists differ from the country ids of companies. */
    tenderNomenclatures: endpoint(record('GET /v1/finder/tenders/nomenclatures', tenderNomenclatures)),
    /** Returns the donors of tenders. The reference does not show the body. */
    tenderDonors: endpoint(opaque('GET /v1/finder/tenders/donors')),
    /**
     * Returns the lookup lists of companies. Sends GET, as the sample in the reference does. After a 404 or 405, sends
     * POST, because the reference also names POST as the method.
     */
    nomenclatures: async (call?: CallOptions) => {
      try {
        return await readLists(call);
      } catch (error) {
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 405))) throw error;
      }
      return askLists(call);
    },
  };
}

export interface V1Endpoints extends ReturnType<typeof createV1Endpoints> {}
