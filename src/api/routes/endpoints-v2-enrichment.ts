import { Company } from '../../../schemas/v2/company.js';
import { Employee } from '../../../schemas/v2/employee.js';
import {
  EnrichEmployeeSearchPage,
  type EnrichCompanyRequest,
  type EnrichContactsRequest,
  type EnrichEmailRequest,
  type EnrichEmployeePronetRequest,
  type EnrichEmployeeSearchRequest,
} from '../../../schemas/v2/enrichment.js';
import type { Caller } from '../caller.js';
import { listing } from '../listing.js';
import type { CallOptions } from '../options.js';
import { page, record } from '../route.js';

const company = Company.partial();
const employee = Employee.partial();

/**
 * Creates the enrichment calls (reference v2, section "Enrichment"). Each call finds a record from partial data.
 * `reveal_email` and `reveal_phone` default to true. The reference does not show the answer when nothing matches. Expect
 * NotFoundError or a record whose values are null.
 */
export function createEnrichmentEndpoints(caller: Caller) {
  return {
    /** Finds a company by website. */
    url: async (url: string, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/url', company), { body: { url } }, call),
    /** Finds a company by profile address. */
    companyByPronet: async (pronet: string, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/company/pronet', company), { body: { pronet } }, call),
    /** Finds a company by registration number, VAT number or ticker. For a company in the US, `state` is required. */
    company: async (body: EnrichCompanyRequest, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/company', company), { body }, call),
    /** Finds a person by e-mail address. */
    email: async (body: EnrichEmailRequest, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/email', employee), { body }, call),
    /** Finds a person by profile address. */
    employeeByPronet: async (body: EnrichEmployeePronetRequest, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/employee/pronet', employee), { body }, call),
    /** Finds a person by name, company, domain, e-mail or profile. */
    employeeByContacts: async (body: EnrichContactsRequest, call?: CallOptions) =>
      caller.call(record('POST /v2/enrichment/employee/contacts', employee), { body }, call),
    /** Returns one page of people who match domains, places and seniorities. An item without an id becomes null. */
    searchEmployees: listing(
      caller,
      page('POST /v2/enrichment/employee/search', EnrichEmployeeSearchPage),
      (body: EnrichEmployeeSearchRequest) => ({ body }),
    ),
  };
}
