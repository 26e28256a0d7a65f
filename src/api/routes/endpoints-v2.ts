import type { AutocompleteRequest } from '../../../schemas/v2/autocomplete.js';
import { Company } from '../../../schemas/v2/company.js';
import { Employee, EmployeesPage, type EmployeesRequest } from '../../../schemas/v2/employee.js';
import { FinancialReport, type FinancialQuery } from '../../../schemas/v2/financial-report.js';
import { ContactMetricsReading, MetricsReading, type ContactMetricsQuery } from '../../../schemas/v2/metrics.js';
import { OverviewPage, type OverviewRequest } from '../../../schemas/v2/overview.js';
import {
  MAX_PAGE,
  ProspectingPage,
  type ProspectingFilters,
  type ProspectingRequest,
} from '../../../schemas/v2/prospecting.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { listing } from '../listing.js';
import { byId, inBody, inQuery } from '../request.js';
import { landed, opaque, page, record } from '../route.js';
import { createEnrichmentEndpoints } from './endpoints-v2-enrichment.js';
import { createKybEndpoints } from './endpoints-v2-kyb.js';
import { createWatchEndpoints } from './endpoints-v2-watch.js';

/**
 * Query of a company search. `filters` holds documented filters, or any filters from the configuration, which are sent
 * unchanged.
 */
export type ProspectingQuery = Omit<ProspectingRequest, 'filters'> & {
  filters?: ProspectingFilters | Record<string, unknown> | undefined;
};

/** Query of a search for people. The company's id may be a number or text. */
export type EmployeesQuery = Omit<EmployeesRequest, 'filters'> & {
  filters: Omit<EmployeesRequest['filters'], 'company_id'> & { company_id?: Id | undefined };
};

const company = Company.partial();
const employee = Employee.partial();

/** Creates the calls of version 2 at `{baseUrl}/v2` (reference v2, section "Endpoints"). */
export function createV2Endpoints(caller: Caller) {
  const { endpoint } = caller;
  return {
    /**
     * Returns the account's usage: groups of metrics, each with `used` and `total`. A `total` of 0 or null means that
     * the API does not state a total.
     */
    metrics: endpoint(page('GET /v2/metrics', MetricsReading)),
    /**
     * Returns the e-mail addresses and phone numbers that the account used between two times (`YYYY-MM-DD HH:MM:SS`).
     * The reference does not name the time zone.
     */
    contactMetrics: endpoint(page('GET /v2/metrics/contacts', ContactMetricsReading), inQuery<ContactMetricsQuery>),
    /**
     * Returns one page of a company search. `page` is at most 10. A page may hold more or fewer rows than `per_page`, so
     * rely on `data.length` and `total_pages` instead. An item without an id becomes null. Ids are numbers or text.
     * `prospecting.all(query)` returns the companies of the first ten pages (section "Prospecting").
     * @throws InvalidRequestError when the API rejects the query
     */
    prospecting: listing(endpoint, page('POST /v2/prospecting', ProspectingPage), inBody<ProspectingQuery>, MAX_PAGE),
    /**
     * Returns one page of companies that match partial data (section "Company search"). `per_page` is at most 5. An item
     * without an id becomes null.
     */
    overview: listing(endpoint, page('POST /v2/overview', OverviewPage), inBody<OverviewRequest>),
    /** Returns a company record (section "Company record"). Throws NotFoundError when the company is gone. */
    company: endpoint(landed('GET /v2/companies/{id}', company), byId),
    /** Returns one page of people (section "Employees"). `page` is at most 10. An item without an id becomes null. */
    employees: listing(endpoint, page('POST /v2/employees', EmployeesPage), inBody<EmployeesQuery>, MAX_PAGE),
    /** Returns an employee record (section "Employee record"), which is personal data. */
    employee: endpoint(record('GET /v2/employees/{id}', employee), byId),
    /**
     * Finds a company from partial data (section "Autocomplete"). A query with only a country fails with
     * AutocompleteFieldError.
     */
    autocomplete: endpoint(record('POST /v2/autocomplete', company), inBody<AutocompleteRequest>),
    /**
     * Returns the financial report by year (section "Financial report"). The report may be empty. `Currency` gives the
     * currency of each year. Sends `year` in the query, although the reference lists `year` as a body parameter of this
     * GET. If the API ignores `year`, it returns all years.
     */
    financial: endpoint(landed('GET /v2/financial/{id}', FinancialReport), (id: Id, query?: FinancialQuery) => ({
      ids: [id],
      query,
    })),
    /** Returns the financials of a company by its stock-exchange ticker. The reference does not show the answer. */
    financialByTicker: endpoint(opaque('GET /v2/financial/ticker'), (ticker: string) => ({ query: { ticker } })),
    enrichment: createEnrichmentEndpoints(caller),
    kyb: createKybEndpoints(caller),
    watch: createWatchEndpoints(caller),
  };
}

export interface V2Endpoints extends ReturnType<typeof createV2Endpoints> {}
