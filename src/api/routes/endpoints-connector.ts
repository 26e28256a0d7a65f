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
import type { Screen } from '../connector-screen.js';
import { createSignInEndpoints, type SignInEndpoints } from './endpoints-connector-sign-in.js';
import type { ApiResponse, Assumed, CallOptions } from '../options.js';
import { assumed, opaque, screen } from '../route.js';

const company = (endpoint: string) => assumed(endpoint, ConnectorCompany);

const route = {
  landing: screen('GET /'),
  health: assumed('GET /health', HealthResponse),
  playground: screen('GET /playground'),
  challenge: screen('GET /.well-known/assistant-apps-challenge'),
  verifyToken: assumed('POST /api/verify-token', VerifyTokenResponse),
  companyByUrl: company('POST /api/company-by-url'),
  companyByPronet: company('POST /api/company-by-pronet'),
  companyFinancials: assumed('POST /api/company-financials', ConnectorFinancials),
  autocomplete: company('POST /api/autocomplete'),
  nomenclature: assumed('POST /api/nomenclature', NomenclatureResponse),
  prospecting: assumed('POST /api/prospecting', ConnectorProspectingPage),
  companyDetails: company('POST /api/company-details'),
  companyOwnership: opaque('POST /api/company-ownership'),
} as const;

/**
 * Calls of the connector application at `{connectorUrl}` (reference v1, section "Connector application"). The client
 * puts the API key into the body of `/api` calls and sends no `Authorization` header. The reference documents no
 * answers. So the client expects the shapes of the corresponding version 2 calls. `data.fits` says whether an answer
 * had the expected shape.
 * @throws ValidationError when the connector rejects the request's shape (status 422)
 * @throws TokenVerificationError for a wrong API key, if the connector reports it as version 2 does
 */
export interface ConnectorEndpoints {
  /** Returns the landing page. */
  landing(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /** Returns whether the connector is up. */
  health(call?: CallOptions): Promise<ApiResponse<Assumed<HealthResponse>>>;
  /** Returns the page on which people try the connector's operations. */
  playground(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /** Returns the domain challenge: a text that proves who operates this address. */
  challenge(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /**
   * Checks the client's API key. For a wrong API key, either the answer says so, or the call throws
   * TokenVerificationError.
   */
  verifyToken(call?: CallOptions): Promise<ApiResponse<Assumed<VerifyTokenResponse>>>;
  /**
   * Finds a company by website. The reference does not show the answer when no company matches. Expect NotFoundError or
   * a record whose values are null.
   */
  companyByUrl(url: string, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Finds a company by profile address. */
  companyByPronet(pronetUrl: string, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /**
   * Returns the financial values of one fiscal year. In the answer, each value is listed under its year. `Currency`
   * gives the currency of each year.
   */
  companyFinancials(
    companyId: Id,
    year: number,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorFinancials>>>;
  /** Finds a company from partial data. A query with only a country may fail with AutocompleteFieldError. */
  autocomplete(
    query: Omit<ConnectorAutocompleteRequest, 'api_key'>,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Returns a lookup list by name, or the list's entries below `parent`. The reference does not name the lists. */
  nomenclature(
    type: string,
    parent?: string | null,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<NomenclatureResponse>>>;
  /** Returns one page of a company search. Defaults: page 1 with 10 rows. Sends the filters unchanged. */
  prospecting(
    query?: Omit<ConnectorProspectingRequest, 'api_key'>,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorProspectingPage>>>;
  /** Returns a company record. Throws NotFoundError when the company is gone. */
  companyDetails(companyId: Id, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Returns the owners of a company as JSON. The shape is not checked. */
  companyOwnership(companyId: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  oauth: SignInEndpoints;
}

/**
 * Creates the connector endpoints. `caller` must not send an `Authorization` header, because the bodies contain the API
 * key.
 * @param apiKey returns the API key that is in use
 */
export function createConnectorEndpoints(caller: Caller, apiKey: () => string): ConnectorEndpoints {
  const secrets = (): object => ({ api_key: apiKey() });
  return {
    landing: async (call) => caller.call(route.landing, {}, call),
    health: async (call) => caller.call(route.health, {}, call),
    playground: async (call) => caller.call(route.playground, {}, call),
    challenge: async (call) => caller.call(route.challenge, {}, call),
    verifyToken: async (call) => caller.call(route.verifyToken, { body: {}, secrets: secrets() }, call),
    companyByUrl: async (url, call) => caller.call(route.companyByUrl, { body: { url }, secrets: secrets() }, call),
    companyByPronet: async (pronetUrl, call) =>
      caller.call(route.companyByPronet, { body: { pronet_url: pronetUrl }, secrets: secrets() }, call),
    companyFinancials: async (companyId, year, call) =>
      caller.call(route.companyFinancials, { body: { company_id: String(companyId), year }, secrets: secrets() }, call),
    autocomplete: async (body, call) => caller.call(route.autocomplete, { body, secrets: secrets() }, call),
    nomenclature: async (type, parent, call) =>
      caller.call(route.nomenclature, { body: { nomenclature_type: type, parent }, secrets: secrets() }, call),
    prospecting: async (body = {}, call) => caller.call(route.prospecting, { body, secrets: secrets() }, call),
    companyDetails: async (companyId, call) =>
      caller.call(route.companyDetails, { body: { company_id: String(companyId) }, secrets: secrets() }, call),
    companyOwnership: async (companyId, call) =>
      caller.call(route.companyOwnership, { body: { company_id: String(companyId) }, secrets: secrets() }, call),
    oauth: createSignInEndpoints(caller, apiKey),
  };
}
