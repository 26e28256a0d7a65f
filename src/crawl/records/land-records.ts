import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { landRows, readRunRows, type PartTarget } from '../../landing/index.js';
import type { CrawlDeps } from './deps.js';

/** What writes records about runs. */
export type Recording = Pick<CrawlDeps, 'config' | 'data' | 'clock'> & Partial<CrawlDeps>;

/** The fields of a run that name its parts. */
export type PartOwner = Pick<RunContext, 'run' | 'date' | 'market'>;

/** Names the part with the answers of one chunk of a run. */
export function partOf(
  { data }: Pick<CrawlDeps, 'data'>,
  { run, date, market }: PartOwner,
  stream: LandingStream,
  chunk: string,
): PartTarget {
  return { data, stream, run, date, market, chunk };
}

/** Lands records about the run itself. So a replay can rebuild the warehouse from the landing zone alone. */
export async function landRecords(
  deps: Recording,
  run: PartOwner,
  stream: LandingStream,
  chunk: string,
  records: object[],
): Promise<void> {
  const fetched_at = (deps.stamps ?? deps.clock).now().toISOString();
  const rows = records.map((record) => ({
    request_key: `tidemark ${stream}`,
    entity_id: null,
    row_kind: chunk,
    status: 200,
    fetched_at,
    body: JSON.stringify(record),
  }));
  await landRows(partOf(deps, run, stream, chunk), rows);
}

/** Reads the landed records about a run. */
export function readRecords<T>(
  { data }: Pick<CrawlDeps, 'data'>,
  { run, date }: Pick<RunContext, 'run' | 'date'>,
  stream: LandingStream,
): T[] {
  return readRunRows({ data, stream, run, date }).map((row) => JSON.parse(row.body) as T);
}
