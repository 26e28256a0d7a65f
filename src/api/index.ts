export { createApiClient, type ApiClient } from './client.js';
export type { Screen } from './connector-screen.js';
export type { ConnectorEndpoints } from './routes/endpoints-connector.js';
export type { SignInEndpoints, SignInOptions } from './routes/endpoints-connector-sign-in.js';
export type {
  TenderSearch,
  TendersQuery,
  V1CompaniesQuery,
  V1CompanyExecutivesAsk,
  V1CompanyExecutivesList,
  V1CompanySearch,
  V1Endpoints,
  V1ExecutiveSearch,
} from './routes/endpoints-v1.js';
export type {
  CompanySearch,
  OverviewSearch,
  PeopleSearch,
  ProspectingQuery,
  V2Endpoints,
} from './routes/endpoints-v2.js';
export type { EnrichmentEndpoints, EnrichmentSearch } from './routes/endpoints-v2-enrichment.js';
export type { KybEndpoints } from './routes/endpoints-v2-kyb.js';
export type { EventListing, WatchEndpoints, WatchList } from './routes/endpoints-v2-watch.js';
export {
  ApiError,
  AutocompleteFieldError,
  BodyError,
  isPermanent,
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
export type { Limits, Place } from './limiter.js';
export { IncompleteListError, type Listing, type ListGap, type ListOptions } from './listing.js';
export type {
  AnswerTimes,
  ApiClientOptions,
  ApiResponse,
  Assumed,
  AttemptReport,
  CallOptions,
  Documented,
} from './options.js';
export type * from './records.js';
export { readPayeeDecision } from './routes/read-payee.js';
export { canonicalJson } from '../base/json/canonical-json.js';
export { verifyWebhook } from './verify-webhook.js';
