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
import { inBody } from '../request.js';
import { page, record } from '../route.js';

const company = Company.partial();
const employee = Employee.partial();

/**
 * Creates the enrichment calls (reference v2, section "Enrichment"). Each call finds a record from partial data.
 * `reveal_email` and `reveal_phone` default to true. The reference does not show the answer when nothing matches. Expect
 * NotFoundError or a record whose values are null.
 */
export function createEnrichmentEndpoints({ endpoint }: Caller) {
  return {
    /** Finds a company by website. */
    url: endpoint(record('POST /v2/enrichment/url', company), (url: string) => ({ body: { url } })),
    /** Finds a company by profile address. */
    companyByPronet: endpoint(record('POST /v2/enrichment/company/pronet', company), (pronet: string) => ({
      body: { pronet },
    })),
    /** Finds a company by registration number, VAT number or ticker. For a company in the US, `state` is required. */
    company: endpoint(record('POST /v2/enrichment/company', company), inBody<EnrichCompanyRequest>),
    /** Finds a person by e-mail address. */
    email: endpoint(record('POST /v2/enrichment/email', employee), inBody<EnrichEmailRequest>),
    /** Finds a person by profile address. */
    employeeByPronet: endpoint(
      record('POST /v2/enrichment/employee/pronet', employee),
      inBody<EnrichEmployeePronetRequest>,
    ),
    /** Finds a person by name, company, domain, e-mail or profile. */
    employeeByContacts: endpoint(
      record('POST /v2/enrichment/employee/contacts', employee),
      inBody<EnrichContactsRequest>,
    ),
    /** Returns one page of people who match domains, places and seniorities. An item without an id becomes null. */
    searchEmployees: listing(
      endpoint,
      page('POST /v2/enrichment/employee/search', EnrichEmployeeSearchPage),
      inBody<EnrichEmployeeSearchRequest>,
    ),
  };
}
