import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { landRows, readRunRows } from '../../landing/index.js';
import type { CrawlDeps } from './deps.js';

/** What writes records about runs. */
export type Recording = Pick<CrawlDeps, 'config' | 'data' | 'clock'> & Partial<CrawlDeps>;

/** Lands records about the run itself. So a replay can rebuild the warehouse from the landing zone alone. */
export async function landRecords(
  deps: Recording,
  ctx: Pick<RunContext, 'run' | 'date' | 'market'>,
  stream: LandingStream,
  chunk: string,
  records: object[],
): Promise<void> {
  const target = { data: deps.data, stream, run: ctx.run, date: ctx.date, market: ctx.market, chunk };
  const fetched_at = (deps.stamps ?? deps.clock).now().toISOString();
  const rows = records.map((record) => ({
    request_key: `tidemark ${stream}`,
    entity_id: null,
    row_kind: chunk,
    status: 200,
    fetched_at,
    body: JSON.stringify(record),
  }));
  await landRows(target, rows);
}

/** Reads the landed records about a run. */
export function readRecords<T>(
  { data }: Pick<CrawlDeps, 'data'>,
  { run, date }: Pick<RunContext, 'run' | 'date'>,
  stream: LandingStream,
): T[] {
  return readRunRows({ data, stream, run, date }).map((row) => JSON.parse(row.body) as T);
}
