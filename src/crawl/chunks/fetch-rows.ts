import type { CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { NewRow } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { Routes } from '../../resolve/routes.js';
import type { CrawlDeps, Heartbeat } from '../deps.js';
import { chunkName } from './chunk-name.js';
import type { Fetcher } from '../fetchers/fetcher.js';
import { CUT_SHORT } from '../fetchers/read-pages.js';

/** Everything that is needed to fetch the rows of an entity. */
export interface RowsWork {
  deps: CrawlDeps;
  input: CrawlChunkInput;
  heartbeat: Heartbeat;
  routes: Routes;
  /** Rows of earlier tries. A fetcher that can resume continues after them. */
  landed: readonly LandedRow[];
  /** Makes the keyed hashes that replace removed texts. Null if the rows may hold personal data. */
  fingerprint: Fingerprint | null;
}

/** Fetches the rows of an entity. Removes personal data from them, unless `fingerprint` is null. */
export async function* fetchRows(fetcher: Fetcher, work: RowsWork, entity: string): AsyncGenerator<NewRow> {
  const { deps, input, heartbeat, routes, landed, fingerprint } = work;
  const place = { deps, chunk: chunkName(input.stream, input.chunk), landed };
  const { withoutPersonalData } = fetcher;
  for await (const row of fetcher.fetch(deps.client, input.ctx, entity, heartbeat.signal, routes, place)) {
    const isUnchanged = fingerprint === null || withoutPersonalData === undefined || row.status === CUT_SHORT;
    yield isUnchanged ? row : { ...row, body: withoutPersonalData(row.body, fingerprint, row.request_key) };
  }
}

/** Returns a function that says whether a landed row is a good answer about the entity. */
export function isRowOf(entity: string): (row: LandedRow) => boolean {
  return ({ entity_id, status }) => entity_id === entity && status >= 200 && status < 300;
}
