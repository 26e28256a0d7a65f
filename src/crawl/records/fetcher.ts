import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api/index.js';
import type { Routes } from '../judge/routes.js';
import type { NewRow } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { CrawlDeps } from './deps.js';
import { rowOf } from './answer.js';

/** What a fetcher gets besides the entity: the worker's dependencies, the chunk, and the rows of earlier attempts. */
export interface FetchPlace {
  deps: CrawlDeps;
  chunk: string;
  /**
   * Rows of the entity that earlier attempts landed, in order and without errors. Empty if the fetcher does not resume.
   */
  landed: readonly LandedRow[];
}

/** Says how to fetch the entities of one stream. */
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
   * True if an entity may need hundreds of requests. Its rows are then landed one by one, and the next try gets them as
   * `place.landed`. If false, the rows of an entity are landed together, and the next try reads the entity from its
   * start.
   */
  resumes?: boolean;
  /**
   * True if each request costs money or starts something at the API. Then an answered entity is never requested again
   * for a comparison, and a request that the API calls invalid is not repeated.
   */
  costly?: boolean;
  /** Streams whose landed rows `fetch` reads. */
  reads?: readonly LandingStream[];
  /** Whether an entity may need several routes, some of which the API may refuse. */
  manyRoutes?: boolean;
  /** Maps a route to the route that gives the same records if the API refuses the first. */
  replacedBy?: Readonly<Record<string, string>>;
  /**
   * Removes from a body what identifies people. Set this function for answers that may describe people. Without
   * `personalData: contacts`, the worker lands only what this function returns, and no error row quotes an answer.
   * @param fingerprint makes the keyed hash of a removed text
   * @param request request key of the answer
   */
  withoutPersonalData?: (body: string, fingerprint: Fingerprint, request: string) => string;
}

/** Whether a landed row is the last one of its entity. The row kinds of other rows begin with `page-` or `more`. */
export function isLastRow({ row_kind }: Pick<LandedRow, 'row_kind'>): boolean {
  return !/^(page-|more)/.test(row_kind);
}

/** Makes a fetcher for records that a single request returns completely. */
export function oneRow(
  call: (client: ApiClient, entity: string, signal: AbortSignal) => Promise<ApiResponse<unknown>>,
): Fetcher {
  return {
    async *fetch(client, _ctx, entity, signal) {
      yield rowOf(await call(client, entity, signal), entity, 'record');
    },
  };
}
