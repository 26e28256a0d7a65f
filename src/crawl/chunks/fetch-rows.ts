import type { CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { NewRow } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { Routes } from '../judge/routes.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { chunkName } from './chunk-name.js';
import type { Fetcher } from '../records/fetcher.js';
import { CUT_SHORT } from '../records/read-pages.js';

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
export function fetchRows(fetcher: Fetcher, work: RowsWork, entity: string): AsyncIterable<NewRow> {
  const { deps, input, heartbeat, routes, landed, fingerprint } = work;
  const place = { deps, chunk: chunkName(input.stream, input.chunk), landed };
  const rows = fetcher.fetch(deps.client, input.ctx, entity, heartbeat.signal, routes, place);
  const { withoutPersonalData } = fetcher;
  return fingerprint === null || withoutPersonalData === undefined
    ? rows
    : reduceRows(rows, (row) => withoutPersonalData(row.body, fingerprint, row.request_key));
}

async function* reduceRows(rows: AsyncIterable<NewRow>, bodyOf: (row: NewRow) => string): AsyncGenerator<NewRow> {
  for await (const row of rows) yield row.status === CUT_SHORT ? row : { ...row, body: bodyOf(row) };
}

/** Returns a function that says whether a landed row is a good answer about the entity. */
export function isRowOf(entity: string): (row: LandedRow) => boolean {
  return ({ entity_id, status }) => entity_id === entity && status >= 200 && status < 300;
}
