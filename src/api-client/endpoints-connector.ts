import {
  ConnectorCompany,
  ConnectorFinancials,
  ConnectorProspectingPage,
  NomenclatureResponse,
  VerifyTokenResponse,
  type ConnectorAutocompleteRequest,
  type ConnectorProspectingRequest,
} from '../../schemas/connector/company-data.js';
import { HealthResponse } from '../../schemas/connector/utility.js';
import type { Id } from '../../schemas/v2/scalars.js';
import type { Caller } from './caller.js';
import type { Screen } from './connector-screen.js';
import { createSignInEndpoints, type SignInEndpoints } from './endpoints-connector-sign-in.js';
import type { ApiResponse, Assumed, CallOptions } from './options.js';
import { assumed, opaque, screen } from './readers.js';

const company = assumed(ConnectorCompany);

const route = {
  landing: { endpoint: 'GET /', reader: screen(), repeat: 'always' },
  health: { endpoint: 'GET /health', reader: assumed(HealthResponse), repeat: 'always' },
  playground: { endpoint: 'GET /playground', reader: screen(), repeat: 'always' },
  challenge: { endpoint: 'GET /.well-known/assistant-apps-challenge', reader: screen(), repeat: 'always' },
  verifyToken: { endpoint: 'POST /api/verify-token', reader: assumed(VerifyTokenResponse), repeat: 'always' },
  companyByUrl: { endpoint: 'POST /api/company-by-url', reader: company, repeat: 'always' },
  companyByPronet: { endpoint: 'POST /api/company-by-pronet', reader: company, repeat: 'always' },
  companyFinancials: {
    endpoint: 'POST /api/company-financials',
    reader: assumed(ConnectorFinancials),
    repeat: 'always',
  },
  autocomplete: { endpoint: 'POST /api/autocomplete', reader: company, repeat: 'always' },
  nomenclature: { endpoint: 'POST /api/nomenclature', reader: assumed(NomenclatureResponse), repeat: 'always' },
  prospecting: { endpoint: 'POST /api/prospecting', reader: assumed(ConnectorProspectingPage), repeat: 'always' },
  companyDetails: { endpoint: 'POST /api/company-details', reader: company, repeat: 'always' },
  companyOwnership: { endpoint: 'POST /api/company-ownership', reader: opaque(), repeat: 'always' },
} as const;

/**
 * The connector application, `{connectorUrl}` (reference v1, section "Connector application"). The client puts the key
 * into the body of `/api` calls itself and sends no `Authorization` header. Answers are declared empty by the reference:
 * each is read as that of the version 2 call it stands for, and `fits` says whether it was. A request whose shape is
 * refused (422) is a ValidationError; a wrong key TokenVerificationError, should it be told as in version 2.
 */
export interface ConnectorEndpoints {
  /** The landing page. */
  landing(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /** Whether the connector is up. */
  health(call?: CallOptions): Promise<ApiResponse<Assumed<HealthResponse>>>;
  /** The page to try the operations on. */
  playground(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /** The domain challenge: text that shows who runs this address. */
  challenge(call?: CallOptions): Promise<ApiResponse<Screen>>;
  /** Whether the client's key is good. May say so in the answer or as TokenVerificationError. */
  verifyToken(call?: CallOptions): Promise<ApiResponse<Assumed<VerifyTokenResponse>>>;
  /** Company by website. "No match" is not shown: NotFoundError, or a record of nulls. */
  companyByUrl(url: string, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Company by profile address. */
  companyByPronet(pronetUrl: string, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Figures of one fiscal year, keyed by year; money is in each year's `Currency`. */
  companyFinancials(
    companyId: Id,
    year: number,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorFinancials>>>;
  /** Company from partial data. Nothing but a country may be refused with AutocompleteFieldError. */
  autocomplete(
    query: Omit<ConnectorAutocompleteRequest, 'api_key'>,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** A lookup list by its name, or its entries below `parent`. Names of lists are not shown by the reference. */
  nomenclature(
    type: string,
    parent?: string | null,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<NomenclatureResponse>>>;
  /** One page of a company search; page 1 and 10 a page when left out. Filters are sent as given. */
  prospecting(
    query?: Omit<ConnectorProspectingRequest, 'api_key'>,
    call?: CallOptions,
  ): Promise<ApiResponse<Assumed<ConnectorProspectingPage>>>;
  /** Company record. NotFoundError when the company is gone. */
  companyDetails(companyId: Id, call?: CallOptions): Promise<ApiResponse<Assumed<ConnectorCompany>>>;
  /** Owners of a company, any JSON. */
  companyOwnership(companyId: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  oauth: SignInEndpoints;
}

/** Binds the connector's routes to a caller that sends no `Authorization` header; the key goes into the bodies. */
export function createConnectorEndpoints(caller: Caller, apiKey: string): ConnectorEndpoints {
  const secrets = { api_key: apiKey };
  return {
    landing: async (call) => caller.call(route.landing, {}, call),
    health: async (call) => caller.call(route.health, {}, call),
    playground: async (call) => caller.call(route.playground, {}, call),
    challenge: async (call) => caller.call(route.challenge, {}, call),
    verifyToken: async (call) => caller.call(route.verifyToken, { body: {}, secrets }, call),
    companyByUrl: async (url, call) => caller.call(route.companyByUrl, { body: { url }, secrets }, call),
    companyByPronet: async (pronetUrl, call) =>
      caller.call(route.companyByPronet, { body: { pronet_url: pronetUrl }, secrets }, call),
    companyFinancials: async (companyId, year, call) =>
      caller.call(route.companyFinancials, { body: { company_id: String(companyId), year }, secrets }, call),
    autocomplete: async (body, call) => caller.call(route.autocomplete, { body, secrets }, call),
    nomenclature: async (type, parent, call) =>
      caller.call(route.nomenclature, { body: { nomenclature_type: type, parent }, secrets }, call),
    prospecting: async (body = {}, call) => caller.call(route.prospecting, { body, secrets }, call),
    companyDetails: async (companyId, call) =>
      caller.call(route.companyDetails, { body: { company_id: String(companyId) }, secrets }, call),
    companyOwnership: async (companyId, call) =>
      caller.call(route.companyOwnership, { body: { company_id: String(companyId) }, secrets }, call),
    oauth: createSignInEndpoints(caller, apiKey),
  };
}
