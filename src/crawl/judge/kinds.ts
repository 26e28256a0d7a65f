import {
  ApiError,
  AutocompleteFieldError,
  InvalidRequestError,
  isLimit,
  isPermanent,
  isRefusal,
  LimitError,
  NotFoundError,
  TokenVerificationError,
  TransportError,
} from '../../api/index.js';

/**
 * What the error of a request means for other requests:
 * - gone: the record does not exist, which is an answer
 * - invalid: the API rejects this request and would reject it again
 * - unusable: the API answered, and the same answer would be unusable again
 * - fault: no usable answer; the same request may succeed later
 * - key: the API key is wrong
 * - refused: the API key may not use this route
 * - limit: too many requests
 * - daily: the daily limit
 * - closed: not sent, because the API refuses every route that could answer
 * - fatal: no error of the API
 */
export type Kind =
  | 'gone'
  | 'invalid'
  | 'unusable'
  | 'fault'
  | 'key'
  | 'refused'
  | 'limit'
  | 'daily'
  | 'closed'
  | 'fatal';

/** The kind of the error of a request. */
export function kindOf(error: unknown): Kind {
  if (error instanceof RoutesClosedError) return 'closed';
  if (!(error instanceof ApiError)) return 'fatal';
  if (error instanceof NotFoundError) return 'gone';
  if (error instanceof InvalidRequestError || error instanceof AutocompleteFieldError) return 'invalid';
  if (error instanceof TokenVerificationError) return 'key';
  if (isLimit(error)) return 'limit';
  if (isRefusal(error)) return 'refused';
  if (error instanceof LimitError) return 'daily';
  return isPermanent(error) ? 'unusable' : 'fault';
}

/** The API refuses a route to this API key, or has answered only `limit` on it for two hours. */
export class RouteRefusedError extends Error {
  constructor(readonly refusal: ApiError) {
    super(refusal.message, { cause: refusal });
    this.name = 'RouteRefusedError';
  }
}

/** The API refuses every route that could answer a question. No request is sent to closed routes. */
export class RoutesClosedError extends Error {
  constructor() {
    super('the API refuses every route that could answer this question');
    this.name = 'RoutesClosedError';
  }
}

/** The run may send no more requests now, because the quota is used up or reserved for other runs. */
export class NoRoomError extends Error {
  constructor() {
    super('no daily quota is left for this run now');
  }
}

/** Whether the error proves that the API did nothing: it rejected the request, or never received it. */
export function didNothing(error: unknown): boolean {
  if (error instanceof TransportError) return error.unsent;
  return ['gone', 'invalid', 'key', 'refused', 'limit', 'daily', 'closed'].includes(kindOf(error));
}
