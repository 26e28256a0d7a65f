import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api/index.js';
import type { Routes } from '../judge/routes.js';
import type { NewRow } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { CrawlDeps } from './deps.js';
import { rowOf } from './answer.js';

/** What a fetcher gets to fetch an entity. */
export interface Fetching {
  client: ApiClient;
  ctx: RunContext;
  signal: AbortSignal;
  routes: Routes;
  deps: CrawlDeps;
  /** What the warehouse knows about the entity (`DueEntity`). */
  about: string | null;
  /**
   * Adds a row of the entity. An entity with several rows names them `page-…`. The last row is landed when the fetcher
   * ends, and is renamed to `last-…`.
   */
  add: (row: NewRow) => void;
  /**
   * Requests a page of the entity and adds the row `page-<name>`. If an earlier try has landed this row, returns it
   * without a request.
   */
  page: (name: string | number, request: () => Promise<ApiResponse<unknown>>) => Promise<NewRow>;
}

/** Says how to fetch the entities of one stream. */
export interface Fetcher {
  /**
   * Fetches an entity and adds its rows.
   * @returns a sentence about what could not be read; null or nothing if all was read
   */
  fetch(entity: string, at: Fetching): Promise<string | null | void>;
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

/** Whether a landed row is a page of its entity after which other rows follow. */
export function isPage({ row_kind }: Pick<LandedRow, 'row_kind'>): boolean {
  return row_kind.startsWith('page-');
}

/** Makes a fetcher for records that a single request returns completely. */
export function oneRow(
  call: (client: ApiClient, entity: string, signal: AbortSignal) => Promise<ApiResponse<unknown>>,
): Fetcher {
  return {
    async fetch(entity, { client, signal, add }) {
      add(rowOf(await call(client, entity, signal), entity, 'record'));
    },
  };
}
