import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api-client/index.js';
import type { Routes } from '../../resolve/routes.js';
import type { NewRow } from '../../landing/index.js';
import type { CrawlDeps } from '../deps.js';
import { rowOf } from '../answer.js';

/** How to fetch the entities of one stream. */
export interface Fetcher {
  fetch(
    client: ApiClient,
    ctx: RunContext,
    entity: string,
    signal: AbortSignal,
    routes: Routes,
    deps: CrawlDeps,
  ): AsyncIterable<NewRow>;
  /** Whether a request changes something at the API. Such a record is never fetched only to compare answers. */
  hasEffects?: boolean;
  /** Whether one entity may need several routes. The API may refuse some of these routes. */
  manyRoutes?: boolean;
  /**
   * For answers that may describe people: removes what identifies them from a body. Without `personalData: contacts`,
   * only its result is landed, and no quote of an answer.
   */
  withoutPersonalData?: (body: string) => string;
  /** Returns the entities that are complete, given the rows landed so far. */
  finished(rows: readonly LandedRow[]): Set<string>;
}

/** Makes a fetcher for records that one request fetches whole. */
export function oneRow(
  call: (client: ApiClient, entity: string, signal: AbortSignal) => Promise<ApiResponse<unknown>>,
): Fetcher {
  return {
    async *fetch(client, _ctx, entity, signal) {
      yield rowOf(await call(client, entity, signal), entity, 'record');
    },
    finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
  };
}
