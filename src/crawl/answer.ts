import {
  ApiError,
  LimitError,
  NotFoundError,
  TokenVerificationError,
  type ApiClient,
  type ApiResponse,
} from '../api-client/index.js';
import type { NewRow } from '../landing/index.js';
import type { Pulse } from './deps.js';

/** A landed row of an API response. */
export function rowOf(response: ApiResponse<unknown>, entityId: string | null, segment: string): NewRow {
  return {
    request_key: response.requestKey,
    entity_id: entityId,
    segment,
    status: response.status,
    fetched_at: response.fetchedAt,
    body: response.body,
  };
}

/** A landed row of an answer that is an error: it keeps status and text, so that the warehouse can say what happened. */
export function rowOfError(error: ApiError, entityId: string | null, segment: string): NewRow {
  // An error under a 2xx status is still no record; 0 keeps it from being read as one.
  const status = error.status >= 400 ? error.status : 0;
  const gone = error instanceof NotFoundError;
  return {
    request_key: error.requestKey,
    entity_id: entityId,
    segment,
    status: gone ? 404 : status,
    fetched_at: error.fetchedAt,
    body: gone ? error.body : error.snippet || error.message,
  };
}

/** What the run may send for now is sent: the rest of the quota is used up, or left to others. */
export class NoRoomError extends Error {
  constructor() {
    super('no room in the daily quota for now');
  }
}

/** The daily limit: nothing more can be had today, so work stops and waits. */
export function isDailyLimit(error: unknown): boolean {
  return error instanceof NoRoomError || (error instanceof LimitError && error.guard === 'limits.daily');
}

/** Faults that concern every request alike: going on would only burn quota. */
export function stopsEverything(error: unknown): boolean {
  return !(error instanceof ApiError) || isDailyLimit(error) || isKeyRefused(error);
}

/** The key is refused: of every request, or, as a slip of the API, of this one. */
export function isKeyRefused(error: unknown): boolean {
  return error instanceof TokenVerificationError;
}

// So many attempts of an activity, with growing pauses, a call that others can do without has to answer.
const PATIENT_ATTEMPTS = 6;

/** So long a route may answer with nothing but `limit` before the run goes on without it, in milliseconds. */
export const LIMIT_PATIENCE_MS = 2 * 3_600_000;

/** Whether an activity has met nothing but `limit` for longer than a run waits. */
export function isLimitOutlasted(pulse: Pulse): boolean {
  return Date.now() - (pulse.since ?? Date.now()) > LIMIT_PATIENCE_MS;
}

/** Whether a call has failed so often that the run is to go on without its answer, and say so. */
export function isGivenUp(error: unknown, pulse: Pulse): error is ApiError {
  if (pulse.signal.aborted || pulse.attempt < PATIENT_ATTEMPTS) return false;
  return error instanceof ApiError && !isKeyRefused(error);
}

/** Whether the API answers at all: tells a request that always fails from an API that is down. */
export async function apiAnswers(client: ApiClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.v2.metrics({ signal });
    return true;
  } catch {
    return false;
  }
}
