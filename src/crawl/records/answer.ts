import {
  ApiError,
  isPermanent,
  LimitError,
  NotFoundError,
  TokenVerificationError,
  type ApiClient,
  type ApiResponse,
} from '../../api/index.js';
import type { NewRow } from '../../landing/index.js';
import type { Heartbeat } from './deps.js';
import { HOUR_MS } from '../../base/time/time.js';

/**
 * Makes the row that the crawl lands for an answer of the API. An answer without content (204) is landed as `null`.
 * @param entityId the id, slug or question of the record; null for a page of a search or listing
 */
export function rowOf(response: ApiResponse<unknown>, entityId: string | null, rowKind: string): NewRow {
  return {
    request_key: response.requestKey,
    entity_id: entityId,
    row_kind: rowKind,
    status: response.status,
    fetched_at: response.fetchedAt,
    body: response.body.trim() === '' ? 'null' : response.body,
  };
}

/**
 * Makes the row that the crawl lands for an error answer. The row keeps the status and the start of the text, so the
 * warehouse can show why the call failed. If the answer would be unusable again, the row also
 * keeps the reason.
 */
export function rowOfError(error: ApiError, entityId: string | null, rowKind: string): NewRow {
  // An error answer may have a 2xx status. Then land status 0, so that readers do not read its body as a record.
  const status = error.status >= 400 ? error.status : 0;
  const gone = error instanceof NotFoundError;
  const { message, snippet } = error;
  const said = isPermanent(error) ? `${message}\n${snippet}`.trim() : snippet || message;
  return {
    request_key: error.requestKey,
    entity_id: entityId,
    row_kind: rowKind,
    status: gone ? 404 : status,
    fetched_at: error.fetchedAt,
    body: gone ? error.body : said,
  };
}

/** The run may send no more requests now, because the quota is used up or reserved for other runs. */
export class NoRoomError extends Error {
  constructor() {
    super('no daily quota is left for this run now');
  }
}

/** Whether an error means that no quota is left for this run: the API's daily limit, or a NoRoomError. */
export function isDailyLimit(error: unknown): boolean {
  return error instanceof NoRoomError || (error instanceof LimitError && error.guard === 'limits.daily');
}

/** Whether an error concerns every request. Then further requests would only waste quota. */
export function stopsEverything(error: unknown): boolean {
  return !(error instanceof ApiError) || isDailyLimit(error) || isKeyRefused(error);
}

/** Whether the API answered that the API key is wrong. A single answer of this kind may be the API's mistake. */
export function isKeyRefused(error: unknown): boolean {
  return error instanceof TokenVerificationError;
}

// From this attempt of an activity on, a failed request may be given up. The run then continues without its answer.
const PATIENT_ATTEMPTS = 6;

/** If a route answers only `limit` for this long, the run continues without the route. In milliseconds (2 h). */
export const LIMIT_PATIENCE_MS = 2 * HOUR_MS;

/**
 * Whether more than LIMIT_PATIENCE_MS have passed since the activity was first scheduled. Call this after a `limit`
 * answer.
 */
export function isLimitOutlasted(heartbeat: Heartbeat): boolean {
  return Date.now() - (heartbeat.since ?? Date.now()) > LIMIT_PATIENCE_MS;
}

/**
 * Whether the run may continue without the answer of a failed call. True after enough failed attempts. The run then
 * reports the gap.
 */
export function isGivenUp(error: unknown, heartbeat: Heartbeat): error is ApiError {
  if (heartbeat.signal.aborted || heartbeat.attempt < PATIENT_ATTEMPTS) return false;
  return error instanceof ApiError && !isKeyRefused(error);
}

/** Whether /v2/metrics answers. If it does, the API is up and only single requests fail. */
export async function apiAnswers(client: ApiClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.v2.metrics({ signal });
    return true;
  } catch {
    return false;
  }
}
