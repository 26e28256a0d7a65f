import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChunkResult, CrawlChunkInput, DueEntity } from '../../schemas/pipeline/crawl.js';
import type { LandingStream } from '../../schemas/pipeline/landing.js';
import type { ApiError } from '../api-client/index.js';
import { hasErrorCode } from '../core/errors.js';
import { PartWriter } from '../landing/index.js';
import { bookingIn, RequestLog } from '../ledger/request-log.js';
import { isDailyLimit } from './answer.js';
import { ChunkAttempt } from './chunk-attempt.js';
import type { CrawlDeps, Pulse } from './deps.js';
import { folderChanged } from './folder-changed.js';
import { reopenQuota } from './read-quota.js';
import { refusalOf, RouteRefusedError } from './refusal.js';

/** Name of a chunk, unique in run and stream. */
export function chunkName(stream: string, chunk: number): string {
  return `${stream}-${String(chunk).padStart(5, '0')}`;
}

/**
 * Fetches every entity of one chunk and lands the answers, going on from what earlier attempts landed. An entity the
 * API answers with an error is landed as such and never stops the others.
 * @throws TidemarkError `ApiUnavailable` when nothing gets through; what was landed stays and is not fetched again
 */
export async function fetchChunk(deps: CrawlDeps, input: CrawlChunkInput, pulse: Pulse): Promise<ChunkResult> {
  const { ctx, stream } = input;
  const chunk = chunkName(stream, input.chunk);
  const target = { dataDir: deps.config.dataDir, stream, run: ctx.run, date: ctx.date, market: ctx.market, chunk };
  const committed = PartWriter.committed(target);
  if (committed) return { rows: committed.rows, requests: 0, failed: 0, limited: false };

  const entities = readEntities(deps.config.dataDir, input);
  const booking = new RequestLog(deps.config.dataDir, ctx.run, chunk);
  const writer = await PartWriter.open(target);
  const attempt = new ChunkAttempt({ deps, input, entities, writer, pulse, booking });
  try {
    const failed = await bookingIn(booking, async () => {
      await reopenQuota(deps, ctx, pulse);
      const filed = await attempt.run();
      // Taken for dead or cancelled in its last moment: whoever goes on finds it in the spool.
      pulse.signal.throwIfAborted();
      return filed;
    });
    return {
      ...(await landed(writer, booking)),
      failed,
      ...(attempt.doubted ? { doubted: true } : {}),
      ...refusedOf(stream, attempt.refusedRoutes),
    };
  } catch (error) {
    if (error instanceof RouteRefusedError) {
      const { refusal, sure } = error;
      // What came before stands; the rest stays due and is asked for by the next run.
      return { ...(await landed(writer, booking)), ...refusedOf(stream, [refusal]), closed: { sure } };
    }
    await writer.close();
    if (!isDailyLimit(error)) throw error;
    const { doubted } = attempt;
    return { rows: writer.rows.length, requests: booking.requests, failed: 0, doubted, limited: true };
  }
}

async function landed(writer: PartWriter, booking: RequestLog): Promise<ChunkResult> {
  const part = await writer.commit();
  return { rows: part?.rows ?? 0, requests: booking.requests, failed: 0, limited: false };
}

function refusedOf(stream: LandingStream, errors: ApiError[]): Pick<ChunkResult, 'refused'> {
  return errors.length === 0 ? {} : { refused: errors.map((error) => refusalOf(stream, error)) };
}

function readEntities(dataDir: string, { ctx, stream, chunk }: CrawlChunkInput): string[] {
  const name = `chunk-${String(chunk).padStart(5, '0')}.json`;
  const file = path.join(dataDir, 'runs', ctx.run, 'due', stream, name);
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as DueEntity[]).map(({ id }) => id);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    throw folderChanged(dataDir, `${file}, which lists what the run is to fetch, is gone`, error);
  }
}
