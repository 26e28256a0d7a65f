import { Company } from '../../../schemas/v2/company.js';
import { Employee } from '../../../schemas/v2/employee.js';
import {
  EnrichEmployeeSearchPage,
  type EnrichCompanyRequest,
  type EnrichContactsRequest,
  type EnrichEmailRequest,
  type EnrichEmployeePronetRequest,
  type EnrichEmployeeSearchRequest,
  type EnrichedEmployeeItem,
} from '../../../schemas/v2/enrichment.js';
import type { Caller } from '../caller.js';
import { listing, type Listing } from '../listing.js';
import type { ApiResponse, CallOptions, Documented } from '../options.js';
import { page, record } from '../route.js';

const company = (endpoint: string) => record(endpoint, Company.partial());
const employee = (endpoint: string) => record(endpoint, Employee.partial());

const route = {
  url: company('POST /v2/enrichment/url'),
  companyByPronet: company('POST /v2/enrichment/company/pronet'),
  company: company('POST /v2/enrichment/company'),
  email: employee('POST /v2/enrichment/email'),
  employeeByPronet: employee('POST /v2/enrichment/employee/pronet'),
  employeeByContacts: employee('POST /v2/enrichment/employee/contacts'),
  searchEmployees: page('POST /v2/enrichment/employee/search', EnrichEmployeeSearchPage),
} as const;

// An interface and not a type alias, because test/repo/routes.test.ts recognises each list by the name of its type.
export interface EnrichmentSearch extends Listing<
  EnrichEmployeeSearchRequest,
  EnrichEmployeeSearchPage,
  EnrichedEmployeeItem
> {}

/**
 * Enrichment calls (reference v2, section "Enrichment"). Each call finds a record from partial data. `reveal_email` and
 * `reveal_phone` default to true. The reference does not show the answer when nothing matches. Expect NotFoundError or
 * a record whose values are null.
 */
export interface EnrichmentEndpoints {
  /** Finds a company by website. */
  url(url: string, call?: CallOptions): Promise<ApiResponse<Documented<Company>>>;
  /** Finds a company by profile address. */
  companyByPronet(pronet: string, call?: CallOptions): Promise<ApiResponse<Documented<Company>>>;
  /** Finds a company by registration number, VAT number or ticker. For a company in the US, `state` is required. */
  company(request: EnrichCompanyRequest, call?: CallOptions): Promise<ApiResponse<Documented<Company>>>;
  /** Finds a person by e-mail address. */
  email(request: EnrichEmailRequest, call?: CallOptions): Promise<ApiResponse<Documented<Employee>>>;
  /** Finds a person by profile address. */
  employeeByPronet(
    request: EnrichEmployeePronetRequest,
    call?: CallOptions,
  ): Promise<ApiResponse<Documented<Employee>>>;
  /** Finds a person by name, company, domain, e-mail or profile. */
  employeeByContacts(request: EnrichContactsRequest, call?: CallOptions): Promise<ApiResponse<Documented<Employee>>>;
  /** Returns one page of people who match domains, places and seniorities. An item without an id becomes null. */
  searchEmployees: EnrichmentSearch;
}

/** Creates the enrichment endpoints, which send their requests through `caller`. */
export function createEnrichmentEndpoints(caller: Caller): EnrichmentEndpoints {
  return {
    url: async (url, call) => caller.call(route.url, { body: { url } }, call),
    companyByPronet: async (pronet, call) => caller.call(route.companyByPronet, { body: { pronet } }, call),
    company: async (body, call) => caller.call(route.company, { body }, call),
    email: async (body, call) => caller.call(route.email, { body }, call),
    employeeByPronet: async (body, call) => caller.call(route.employeeByPronet, { body }, call),
    employeeByContacts: async (body, call) => caller.call(route.employeeByContacts, { body }, call),
    searchEmployees: listing(caller, route.searchEmployees, (body) => ({ body })),
  };
}
