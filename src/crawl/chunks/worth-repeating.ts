import { InvalidRequestError, type ApiError } from '../../api-client/index.js';
import type { Fetcher } from '../fetchers/fetcher.js';

/**
 * Returns the failed entities that are worth another request. Leaves out invalid requests that cost money: they would
 * be invalid again.
 */
export function worthRepeating(failures: ReadonlyMap<string, ApiError>, { costly = false }: Fetcher): string[] {
  const worth = [...failures].filter(([, error]) => !(costly && error instanceof InvalidRequestError));
  return worth.map(([entity]) => entity);
}
