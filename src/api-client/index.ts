export { createApiClient, type ApiClient } from './client.js';
export type { TendersQuery, V1Endpoints } from './endpoints-v1.js';
export type { ProspectingQuery, V2Endpoints } from './endpoints-v2.js';
export type { WatchEndpoints } from './endpoints-v2-watch.js';
export {
  ApiError,
  AutocompleteFieldError,
  BodyError,
  ClientClosedError,
  ContractError,
  InternalApiError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TimeoutError,
  TokenVerificationError,
  TransportError,
} from './errors.js';
export type { ApiClientOptions, ApiResponse, AttemptReport, CallOptions, Unchecked } from './options.js';
export { canonicalJson } from './request.js';
