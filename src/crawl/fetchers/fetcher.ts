import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api-client/index.js';
import type { Routes } from '../../resolve/routes.js';
import type { NewRow } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { CrawlDeps } from '../deps.js';
import { rowOf } from '../answer.js';

/** Where a fetcher works, and what an earlier attempt left. */
export interface FetchPlace {
  deps: CrawlDeps;
  chunk: string;
  /** For a fetcher that resumes: landed rows of the entity, in order, without errors. */
  landed: readonly LandedRow[];
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
   * True for entities that may need hundreds of requests. Their rows are landed one by one, and the next try gets them
   * as `place.landed`. Otherwise the rows of an entity are landed together, and the next try begins at its start.
   */
  resumes?: boolean;
  /**
   * True when each request costs money or starts something at the API. An answered entity is then never requested again
   * to compare it with a failing one, and a request that the API calls invalid is not repeated.
   */
  costly?: boolean;
  /** Whether one entity may need several routes. The API may refuse some of these routes. */
  manyRoutes?: boolean;
  /** Routes, each with the route that gives the same records if the API refuses the first. */
  replacedBy?: Readonly<Record<string, string>>;
  /**
   * For answers that may describe people: removes what identifies them from a body. Without `personalData: contacts`,
   * only its result is landed, and no quote of an answer.
   * @param fingerprint makes the keyed hash of a removed text
   * @param request request key of the answer
   */
  withoutPersonalData?: (body: string, fingerprint: Fingerprint, request: string) => string;
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
