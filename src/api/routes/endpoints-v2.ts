import type { AutocompleteRequest } from '../../../schemas/v2/autocomplete.js';
import { Company } from '../../../schemas/v2/company.js';
import { Employee, EmployeesPage, type EmployeeItem, type EmployeesRequest } from '../../../schemas/v2/employee.js';
import { FinancialReport, type FinancialQuery } from '../../../schemas/v2/financial-report.js';
import { ContactMetricsReading, MetricsReading, type ContactMetricsQuery } from '../../../schemas/v2/metrics.js';
import { OverviewPage, type OverviewItem, type OverviewRequest } from '../../../schemas/v2/overview.js';
import {
  MAX_PAGE,
  ProspectingPage,
  type ProspectingFilters,
  type ProspectingItem,
  type ProspectingRequest,
} from '../../../schemas/v2/prospecting.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import { createEnrichmentEndpoints, type EnrichmentEndpoints } from './endpoints-v2-enrichment.js';
import { createKybEndpoints, type KybEndpoints } from './endpoints-v2-kyb.js';
import { createWatchEndpoints, type WatchEndpoints } from './endpoints-v2-watch.js';
import { listing, type Listing } from '../listing.js';
import type { ApiResponse, CallOptions, Documented } from '../options.js';
import { landed, opaque, page, record } from '../route.js';

const route = {
  metrics: page('GET /v2/metrics', MetricsReading),
  contactMetrics: page('GET /v2/metrics/contacts', ContactMetricsReading),
  prospecting: page('POST /v2/prospecting', ProspectingPage),
  overview: page('POST /v2/overview', OverviewPage),
  company: landed('GET /v2/companies/{id}', Company.partial()),
  employees: page('POST /v2/employees', EmployeesPage),
  employee: record('GET /v2/employees/{id}', Employee.partial()),
  autocomplete: record('POST /v2/autocomplete', Company.partial()),
  financial: landed('GET /v2/financial/{id}', FinancialReport),
  financialByTicker: opaque('GET /v2/financial/ticker'),
} as const;

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

// Interfaces and not type aliases, because test/repo/routes.test.ts recognises each list by the name of its type.
export interface CompanySearch extends Listing<ProspectingQuery, ProspectingPage, ProspectingItem> {}
export interface OverviewSearch extends Listing<OverviewRequest, OverviewPage, OverviewItem> {}
export interface PeopleSearch extends Listing<EmployeesQuery, EmployeesPage, EmployeeItem> {}

/** Calls of version 2 at `{baseUrl}/v2` (reference v2, section "Endpoints"). */
export interface V2Endpoints {
  /**
   * Returns the account's usage: groups of metrics, each with `used` and `total`. A `total` of 0 or null means that the
   * API does not state a total.
   */
  metrics(call?: CallOptions): Promise<ApiResponse<MetricsReading>>;
  /**
   * Returns the e-mail addresses and phone numbers that the account used between two times (`YYYY-MM-DD HH:MM:SS`). The
   * reference does not name the time zone.
   */
  contactMetrics(query: ContactMetricsQuery, call?: CallOptions): Promise<ApiResponse<ContactMetricsReading>>;
  /**
   * Returns one page of a company search. `page` is at most 10. A page may hold more or fewer rows than `per_page`, so
   * rely on `data.length` and `total_pages` instead. An item without an id becomes null. Ids are numbers or text.
   * `prospecting.all(query)` returns the companies of the first ten pages (section "Prospecting").
   * @throws InvalidRequestError when the API rejects the query
   */
  prospecting: CompanySearch;
  /**
   * Returns one page of companies that match partial data (section "Company search"). `per_page` is at most 5. An item
   * without an id becomes null.
   */
  overview: OverviewSearch;
  /**
   * Returns a company record (section "Company record"). Throws NotFoundError when the company is gone.
   */
  company(id: Id, call?: CallOptions): Promise<ApiResponse<Documented<Company>>>;
  /** Returns one page of people (section "Employees"). `page` is at most 10. An item without an id becomes null. */
  employees: PeopleSearch;
  /** Returns an employee record (section "Employee record"), which is personal data. */
  employee(id: Id, call?: CallOptions): Promise<ApiResponse<Documented<Employee>>>;
  /**
   * Finds a company from partial data (section "Autocomplete"). A query with only a country fails with
   * AutocompleteFieldError.
   */
  autocomplete(query: AutocompleteRequest, call?: CallOptions): Promise<ApiResponse<Documented<Company>>>;
  /**
   * Returns the financial report by year (section "Financial report"). The report may be empty. `Currency` gives the
   * currency of each year. Sends `year` in the query, although the reference lists `year` as a body parameter of this
   * GET. If the API ignores `year`, it returns all years.
   */
  financial(id: Id, query?: FinancialQuery, call?: CallOptions): Promise<ApiResponse<FinancialReport>>;
  /** Returns the financials of a company by its stock-exchange ticker. The reference does not show the answer. */
  financialByTicker(ticker: string, call?: CallOptions): Promise<ApiResponse<unknown>>;
  enrichment: EnrichmentEndpoints;
  kyb: KybEndpoints;
  watch: WatchEndpoints;
}

/** Creates the version 2 endpoints, which send their requests through `caller`. */
export function createV2Endpoints(caller: Caller): V2Endpoints {
  return {
    metrics: async (call) => caller.call(route.metrics, {}, call),
    contactMetrics: async (query, call) => caller.call(route.contactMetrics, { query }, call),
    prospecting: listing(caller, route.prospecting, (query) => ({ body: query }), MAX_PAGE),
    overview: listing(caller, route.overview, (query) => ({ body: query })),
    company: async (id, call) => caller.call(route.company, { ids: [id] }, call),
    employees: listing(caller, route.employees, (query) => ({ body: query }), MAX_PAGE),
    employee: async (id, call) => caller.call(route.employee, { ids: [id] }, call),
    autocomplete: async (query, call) => caller.call(route.autocomplete, { body: query }, call),
    financial: async (id, query = {}, call) => caller.call(route.financial, { ids: [id], query }, call),
    financialByTicker: async (ticker, call) => caller.call(route.financialByTicker, { query: { ticker } }, call),
    enrichment: createEnrichmentEndpoints(caller),
    kyb: createKybEndpoints(caller),
    watch: createWatchEndpoints(caller),
  };
}
