import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api-client/index.js';
import type { Config } from '../../core/config.js';
import type { Routes } from '../../resolve/routes.js';
import type { NewRow } from '../../landing/index.js';
import { rowOf } from '../answer.js';

/** The worker and the chunk for which a fetcher works. */
export interface FetchPlace {
  config: Config;
  chunk: string;
}

/** How to fetch the entities of one stream. */
export interface Fetcher {
  fetch(
    client: ApiClient,
    ctx: RunContext,
    entity: string,
    signal: AbortSignal,
    routes: Routes,
    place: FetchPlace,
  ): AsyncIterable<NewRow>;
  /**
   * True when each request costs money. An answered entity is then never requested again to compare it with a failing
   * one, and a request that the API calls invalid is not repeated.
   */
  costly?: boolean;
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
