import type {
  ConnectorAutocompleteRequest,
  ConnectorProspectingRequest,
} from '../../schemas/connector/company-data.js';
import type { SsoCallbackQuery } from '../../schemas/connector/sign-in.js';
import type { V1CompaniesRequest } from '../../schemas/v1/company.js';
import type { V1CompanyExecutivesQuery, V1ExecutivesRequest } from '../../schemas/v1/executive.js';
import type { TendersRequest } from '../../schemas/v1/tender.js';
import type { AutocompleteRequest } from '../../schemas/v2/autocomplete.js';
import type { EmployeesRequest } from '../../schemas/v2/employee.js';
import type * as enrichment from '../../schemas/v2/enrichment.js';
import type { ContactMetricsQuery } from '../../schemas/v2/metrics.js';
import type { OverviewRequest } from '../../schemas/v2/overview.js';
import type { ProspectingRequest } from '../../schemas/v2/prospecting.js';
import type { WatchEventsQuery, WatchListQuery } from '../../schemas/v2/watch.js';
import type { ApiClient, ApiResponse } from '../../src/api/index.js';

/** A call of the client with the route's parameters by name, including path parameters. */
export type ClientCall = (client: ApiClient, given: never) => Promise<ApiResponse<unknown>>;

type Id = { id: number };
type Fields = { fields: string[] };
type Session = { session: string };

/** The client's function for each route of the reference. */
export const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  'GET /v2/metrics': (c) => c.v2.metrics(),
  'GET /v2/metrics/contacts': (c, query: ContactMetricsQuery) => c.v2.contactMetrics(query),
  'POST /v2/prospecting': (c, query: ProspectingRequest) => c.v2.prospecting(query),
  'POST /v2/overview': (c, query: OverviewRequest) => c.v2.overview(query),
  'GET /v2/companies/{id}': (c, { id }: Id) => c.v2.company(id),
  'POST /v2/employees': (c, query: EmployeesRequest) => c.v2.employees(query),
  'GET /v2/employees/{id}': (c, { id }: Id) => c.v2.employee(id),
  'POST /v2/companies/{id}/watch/start': (c, { id, fields }: Id & Fields) => c.v2.watch.start(id, fields),
  'DELETE /v2/companies/{id}/watch/stop': (c, { id }: Id) => c.v2.watch.stop(id),
  'GET /v2/companies/watch': (c, query: WatchListQuery) => c.v2.watch.list(query),
  'GET /v2/companies/{id}/watch/events': (c, { id, ...query }: Id & WatchEventsQuery) => c.v2.watch.events(id, query),
  'GET /v2/companies/{id}/watch/fields': (c, { id }: Id) => c.v2.watch.fields(id),
  'PUT /v2/companies/{id}/watch/fields/add': (c, { id, fields }: Id & Fields) => c.v2.watch.addFields(id, fields),
  'PUT /v2/companies/{id}/watch/fields/remove': (c, { id, fields }: Id & Fields) => c.v2.watch.removeFields(id, fields),
  'PUT /v2/companies/watch/callback': (c, { callback }: { callback: string }) => c.v2.watch.setCallback(callback),
  'GET /v2/companies/watch/callback': (c) => c.v2.watch.getCallback(),
  'POST /v2/enrichment/url': (c, { url }: { url: string }) => c.v2.enrichment.url(url),
  'POST /v2/enrichment/company/pronet': (c, { pronet }: { pronet: string }) => c.v2.enrichment.companyByPronet(pronet),
  'POST /v2/enrichment/company': (c, body: enrichment.EnrichCompanyRequest) => c.v2.enrichment.company(body),
  'POST /v2/enrichment/email': (c, body: enrichment.EnrichEmailRequest) => c.v2.enrichment.email(body),
  'POST /v2/enrichment/employee/pronet': (c, body: enrichment.EnrichEmployeePronetRequest) =>
    c.v2.enrichment.employeeByPronet(body),
  'POST /v2/enrichment/employee/contacts': (c, body: enrichment.EnrichContactsRequest) =>
    c.v2.enrichment.employeeByContacts(body),
  'POST /v2/enrichment/employee/search': (c, body: enrichment.EnrichEmployeeSearchRequest) =>
    c.v2.enrichment.searchEmployees(body),
  'POST /v2/autocomplete': (c, query: AutocompleteRequest) => c.v2.autocomplete(query),
  'GET /v2/financial/{id}': (c, { id, ...query }: Id & { year: number }) => c.v2.financial(id, query),
  'GET /v2/financial/ticker': (c, { ticker }: { ticker: string }) => c.v2.financialByTicker(ticker),
  'GET /v2/kyb/{id}/ubo': (c, { id, ...query }: Id) => c.v2.kyb.ubo(id, query),
  'POST /v2/kyb/{id}/ubo/enrich': (c, { id, ...body }: Id) => c.v2.kyb.startUboEnrichment(id, body),
  'GET /v2/kyb/{id}/ubo/enrich/{job_id}': (c, { id, job_id }: Id & { job_id: string }) =>
    c.v2.kyb.uboEnrichment(id, job_id),
  'POST /v2/know-your-payee': (c, body: object) => c.v2.kyb.checkPayee({ ...body }),
  'GET /v2/know-your-payee/{id}': (c, { id }: Id) => c.v2.kyb.payeeReport(id),
  'POST /v2/know-your-payee/{id}': (c, { id, ...body }: Id) => c.v2.kyb.checkPayeeAgain(id, body),

  'POST /v1/finder/companies': (c, query: V1CompaniesRequest) => c.v1.companies(query),
  'GET /v1/finder/company/details': (c, { id }: Id) => c.v1.company(id),
  'GET /v1/finder/company/financial': (c, { id }: Id) => c.v1.financial(id),
  'GET /v1/finder/company/executives': (c, query: V1CompanyExecutivesQuery) => c.v1.companyExecutives(query),
  'POST /v1/finder/executives': (c, query: V1ExecutivesRequest) => c.v1.executives(query),
  'GET /v1/finder/executive/details': (c, { id }: Id) => c.v1.executive(id),
  'POST /v1/finder/tenders': (c, query: TendersRequest) => c.v1.tenders(query),
  'GET /v1/finder/tenders/details': (c, { slug }: { slug: string }) => c.v1.tenderDetails(slug),
  'GET /v1/finder/tenders/nomenclatures': (c) => c.v1.tenderNomenclatures(),
  'GET /v1/finder/tenders/donors': (c) => c.v1.tenderDonors(),
  'GET /v1/finder/nomenclatures': (c) => c.v1.nomenclatures(),
  // Sent if GET is refused.
  'POST /v1/finder/nomenclatures': (c) => c.v1.nomenclatures(),

  'GET /': (c) => c.connector.landing(),
  'GET /health': (c) => c.connector.health(),
  'GET /playground': (c) => c.connector.playground(),
  'GET /.well-known/assistant-apps-challenge': (c) => c.connector.challenge(),
  'POST /api/verify-token': (c) => c.connector.verifyToken(),
  'POST /api/company-by-url': (c, { url }: { url: string }) => c.connector.companyByUrl(url),
  'POST /api/company-by-pronet': (c, body: { pronet_url: string }) => c.connector.companyByPronet(body.pronet_url),
  'POST /api/company-financials': (c, body: { company_id: string; year: number }) =>
    c.connector.companyFinancials(body.company_id, body.year),
  'POST /api/autocomplete': (c, { api_key: _key, ...body }: ConnectorAutocompleteRequest) =>
    c.connector.autocomplete(body),
  'POST /api/nomenclature': (c, body: { nomenclature_type: string; parent: string | null }) =>
    c.connector.nomenclature(body.nomenclature_type, body.parent),
  'POST /api/prospecting': (c, { api_key: _key, ...body }: ConnectorProspectingRequest) =>
    c.connector.prospecting(body),
  'POST /api/company-details': (c, body: { company_id: string }) => c.connector.companyDetails(body.company_id),
  'POST /api/company-ownership': (c, body: { company_id: string }) => c.connector.companyOwnership(body.company_id),
  'GET /oauth/login': (c, { session }: Session) => c.connector.oauth.loginScreen(session),
  'POST /oauth/login': (c, { session }: Session) => c.connector.oauth.signInWithKey(session),
  'GET /oauth/sso/start': (c, { session }: Session) => c.connector.oauth.startSso(session),
  'GET /oauth/sso/callback': (c, query: SsoCallbackQuery) => c.connector.oauth.endSso(query),
  'GET /oauth/trial': (c, { session, email }: Session & { email: string }) =>
    c.connector.oauth.trialScreen(session, email),
  'POST /oauth/trial': (c, { session, email }: Session & { email: string }) =>
    c.connector.oauth.startTrial(session, email),
  'POST /oauth/trial/verify': (c, { session, email, code }: Session & { email: string; code: string }) =>
    c.connector.oauth.verifyTrial(session, email, code),
  'GET /oauth/consent': (c, { session }: Session) => c.connector.oauth.consentScreen(session),
  'POST /oauth/consent': (c, { session }: Session) => c.connector.oauth.accept(session),
  'POST /oauth/deny': (c, { session }: Session) => c.connector.oauth.deny(session),
};
