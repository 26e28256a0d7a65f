export { createApiClient, type ApiClient } from './client.js';
export type { Screen } from './connector-screen.js';
export type { ConnectorEndpoints } from './endpoints-connector.js';
export type { SignInEndpoints, SignInOptions } from './endpoints-connector-sign-in.js';
export type { TendersQuery, V1CompaniesQuery, V1CompanyExecutivesAsk, V1Endpoints } from './endpoints-v1.js';
export type { ProspectingQuery, V2Endpoints } from './endpoints-v2.js';
export type { EnrichmentEndpoints } from './endpoints-v2-enrichment.js';
export type { KybEndpoints } from './endpoints-v2-kyb.js';
export type { WatchEndpoints } from './endpoints-v2-watch.js';
export {
  ApiError,
  AutocompleteFieldError,
  BodyError,
  ClientClosedError,
  ContractError,
  InternalApiError,
  InvalidRequestError,
  isLimit,
  isRefusal,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TimeoutError,
  TokenVerificationError,
  TransportError,
  ValidationError,
} from './errors.js';
export type { ApiClientOptions, ApiResponse, Assumed, AttemptReport, CallOptions, Unchecked } from './options.js';
export { canonicalJson } from './request.js';
export { verifyWebhook } from './verify-webhook.js';
