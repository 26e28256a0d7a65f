import {
  ConnectorCompany,
  ConnectorFinancials,
  ConnectorProspectingPage,
  NomenclatureResponse,
  VerifyTokenResponse,
  type ConnectorAutocompleteRequest,
  type ConnectorProspectingRequest,
} from '../../../schemas/connector/company-data.js';
import { HealthResponse } from '../../../schemas/connector/utility.js';
import type { Id } from '../../../schemas/v2/scalars.js';
import type { Caller } from '../caller.js';
import type { CallOptions } from '../options.js';
import { assumed, opaque, screen, type Route } from '../route.js';
import { createSignInEndpoints } from './endpoints-connector-sign-in.js';

const company = (endpoint: string) => assumed(endpoint, ConnectorCompany);

/**
 * Creates the calls of the connector application at `{connectorUrl}` (reference v1, section "Connector application").
 * The body of `/api` calls contains the API key, so `caller` must not send an `Authorization` header. The reference
 * documents no answers. So the client expects the shapes of the corresponding version 2 calls. `data.fits` says whether
 * an answer had the expected shape.
 *
 * The calls throw ValidationError when the connector rejects the request's shape (status 422), and
 * TokenVerificationError for a wrong API key, if the connector reports it as version 2 does.
 * @param apiKey returns the API key that is in use
 */
export function createConnectorEndpoints(caller: Caller, apiKey: () => string) {
  const show = async (endpoint: string, call?: CallOptions) => caller.call(screen(endpoint), {}, call);
  const ask = async <T>(route: Route<T>, body: object, call?: CallOptions) =>
    caller.call(route, { body, secrets: { api_key: apiKey() } }, call);
  return {
    /** Returns the landing page. */
    landing: async (call?: CallOptions) => show('GET /', call),
    /** Returns whether the connector is up. */
    health: async (call?: CallOptions) => caller.call(assumed('GET /health', HealthResponse), {}, call),
    /** Returns the page on which people try the connector's operations. */
    playground: async (call?: CallOptions) => show('GET /playground', call),
    /** Returns the domain challenge: a text that proves who operates this address. */
    challenge: async (call?: CallOptions) => show('GET /.well-known/assistant-apps-challenge', call),
    /**
     * Checks the client's API key. For a wrong API key, either the answer says so, or the call throws
     * TokenVerificationError.
     */
    verifyToken: async (call?: CallOptions) => ask(assumed('POST /api/verify-token', VerifyTokenResponse), {}, call),
    /**
     * Finds a company by website. The reference does not show the answer when no company matches. Expect NotFoundError
     * or a record whose values are null.
     */
    companyByUrl: async (url: string, call?: CallOptions) => ask(company('POST /api/company-by-url'), { url }, call),
    /** Finds a company by profile address. */
    companyByPronet: async (pronetUrl: string, call?: CallOptions) =>
      ask(company('POST /api/company-by-pronet'), { pronet_url: pronetUrl }, call),
    /**
     * Returns the financial values of one fiscal year. In the answer, each value is listed under its year. `Currency`
     * gives the currency of each year.
     */
    companyFinancials: async (companyId: Id, year: number, call?: CallOptions) =>
      ask(assumed('POST /api/company-financials', ConnectorFinancials), { company_id: String(companyId), year }, call),
    /** Finds a company from partial data. A query with only a country may fail with AutocompleteFieldError. */
    autocomplete: async (query: Omit<ConnectorAutocompleteRequest, 'api_key'>, call?: CallOptions) =>
      ask(company('POST /api/autocomplete'), query, call),
    /** Returns a lookup list by name, or the list's entries below `parent`. The reference does not name the lists. */
    nomenclature: async (type: string, parent?: string | null, call?: CallOptions) =>
      ask(assumed('POST /api/nomenclature', NomenclatureResponse), { nomenclature_type: type, parent }, call),
    /** Returns one page of a company search. Defaults: page 1 with 10 rows. Sends the filters unchanged. */
    prospecting: async (query: Omit<ConnectorProspectingRequest, 'api_key'> = {}, call?: CallOptions) =>
      ask(assumed('POST /api/prospecting', ConnectorProspectingPage), query, call),
    /** Returns a company record. Throws NotFoundError when the company is gone. */
    companyDetails: async (companyId: Id, call?: CallOptions) =>
      ask(company('POST /api/company-details'), { company_id: String(companyId) }, call),
    /** Returns the owners of a company as JSON. The shape is not checked. */
    companyOwnership: async (companyId: Id, call?: CallOptions) =>
      ask(opaque('POST /api/company-ownership'), { company_id: String(companyId) }, call),
    oauth: createSignInEndpoints(caller, apiKey),
  };
}

export interface ConnectorEndpoints extends ReturnType<typeof createConnectorEndpoints> {}
