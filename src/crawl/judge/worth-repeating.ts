import { InvalidRequestError, isPermanent, type ApiError } from '../../api/index.js';
import type { Fetcher } from '../records/fetcher.js';

/**
 * Returns the failed entities that are worth another request. Leaves out answers that would be unusable again, and
 * invalid requests that cost money.
 */
export function worthRepeating(failures: ReadonlyMap<string, ApiError>, { costly = false }: Fetcher): string[] {
  const isWorth = (error: ApiError): boolean =>
    !(costly && error instanceof InvalidRequestError) && !isPermanent(error);
  const worth = [...failures].filter(([, error]) => isWorth(error));
  return worth.map(([entity]) => entity);
}
