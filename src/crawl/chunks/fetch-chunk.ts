import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChunkResult, CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import type { DueEntity } from '../../../schemas/pipeline/due.js';
import type { FetchedStreamName } from '../../../schemas/streams/streams.js';
import type { ApiError } from '../../api/index.js';
import { dueDir, runFolder } from '../../store/data-folder.js';
import { hasErrorCode } from '../../base/errors.js';
import { PartWriter, pullRows, takeRows } from '../../landing/index.js';
import { takeChunkFile } from '../../warehouse/due/due-plan.js';
import { ChunkAttempt } from './chunk-attempt.js';
import { countFailed } from './other-records.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { isPage } from '../records/fetcher.js';
import { fetchers } from '../streams/index.js';
import { partOf } from '../records/land-records.js';
import { folderChanged } from '../records/folder-changed.js';
import { refusalOf } from '../judge/refusal.js';
import type { Data } from '../../store/data.js';

/** Result of `fetchChunk`. The activity adds the number of workers. */
export type FetchedChunk = Omit<ChunkResult, 'workers'>;

/**
 * Fetches every entity of one chunk and lands the answers. Skips entities that earlier attempts have landed. If the API
 * answers an entity with an error, lands the error and continues with the next entity.
 * @returns counts; `limited` is true when the daily limit stopped the chunk; `closed` is set when the API refuses the
 * stream's route
 * @throws TidemarkError `ApiUnavailable` when the API answers no request; landed answers are not fetched again
 * @throws TidemarkError `DataFolderChanged` when the chunk's list of entities is missing
 */
export async function fetchChunk(deps: CrawlDeps, input: CrawlChunkInput, heartbeat: Heartbeat): Promise<FetchedChunk> {
  const { ctx, stream } = input;
  const fetcher = fetchers[stream];
  const target = partOf(deps, ctx, stream, `${stream}-${String(input.chunk).padStart(5, '0')}`);
  const committed = await PartWriter.committed(target);
  const about = await readEntities(deps.data, input);
  const entities = [...about.keys()];
  if (committed) {
    // An earlier attempt could not report its result.
    const rows = await takeRows(deps.data, { ...committed, file: path.join(runFolder(target), committed.part) });
    const finished = new Set(rows.filter((row) => !isPage(row)).map(({ entity_id }) => entity_id));
    const failed = countFailed(rows) + entities.filter((entity) => !finished.has(entity)).length;
    return { rows: committed.rows, requests: 0, failed, limited: false };
  }

  await pullRows(deps.data, { streams: fetcher.reads ?? [] });
  const attempt = await ChunkAttempt.open({ ...input, deps, heartbeat, target, fetcher, entities, about });
  const ended = await attempt.land();
  const counts = { rows: ended.rows, requests: ended.requests, failed: 0, limited: ended.how === 'limited' };
  switch (ended.how) {
    case 'limited':
      return counts;
    case 'closed':
      // Entities without an answer are due again in the next run.
      return { ...counts, ...refusedOf(stream, [ended.error]), closed: { sure: attempt.isSure(ended.error) } };
    case 'done':
      return { ...counts, failed: attempt.failed, ...refusedOf(stream, attempt.refusedRoutes, input.refused) };
  }
}

/**
 * Describes the refused routes of a stream. Names the route that can replace a refused one, unless the API refuses that
 * route, too.
 * @param before routes that the API refused in earlier chunks
 */
function refusedOf(
  stream: FetchedStreamName,
  errors: ApiError[],
  before: readonly string[] = [],
): Pick<ChunkResult, 'refused'> {
  if (errors.length === 0) return {};
  const closed = new Set([...before, ...errors.map(({ endpoint }) => endpoint)]);
  const refused = errors.map((error) => {
    const other = fetchers[stream].replacedBy?.[error.endpoint];
    return { ...refusalOf(stream, error), ...(other === undefined || closed.has(other) ? {} : { replacedBy: other }) };
  });
  return { refused };
}

/** Reads the entities of a chunk, and what the warehouse knows about each. */
async function readEntities(
  data: Data,
  { ctx, stream, chunk }: CrawlChunkInput,
): Promise<ReadonlyMap<string, string | null>> {
  const { dataDir } = data;
  const file = await takeChunkFile(data, dueDir(dataDir, ctx.run, stream), chunk);
  try {
    const due = JSON.parse(readFileSync(file, 'utf8')) as DueEntity[];
    return new Map(due.map(({ id, about = null }) => [id, about]));
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    throw folderChanged(dataDir, `the file ${file}, the list of records to fetch, is missing`, error);
  }
}
