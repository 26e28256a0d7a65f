import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChunkResult, CrawlChunkInput, DueEntity } from '../../schemas/pipeline/crawl.js';
import { LimitError, NotFoundError, type ApiError } from '../api-client/index.js';
import { TidemarkError } from '../core/errors.js';
import { PartWriter } from '../landing/index.js';
import { bookingIn, RequestLog } from '../ledger/request-log.js';
import { apiAnswers, isDailyLimit, isKeyRefused, NoRoomError, rowOfError, stopsEverything } from './answer.js';
import type { CrawlDeps, Pulse } from './deps.js';
import { fetchers } from './fetchers.js';
import { inParallel } from './in-parallel.js';
import { lanesOf } from './lanes.js';
import { LimitDoubts } from './limit-doubts.js';
import { reopenQuota, saysRoom } from './read-quota.js';

// After this many entities have failed one after another, each after its own retries, the API itself is asked.
const GIVE_UP_AFTER = 20;
// After this many that were refused the key one after another it is believed, whatever /v2/metrics says of it.
const REFUSALS_IN_A_ROW = 10;
// A record that answers with the daily limit against the figure is filed as failed after so many tries more.
const DOUBTED_TRIES = 2;

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
  const result = { failed: 0, limited: false, doubted: false };
  try {
    await bookingIn(booking, async () => {
      await reopenQuota(deps, ctx, pulse);
      await fetchAll(deps, input, entities, writer, pulse, booking, result);
      // Taken for dead or cancelled in its last moment: whoever goes on finds it in the spool.
      pulse.signal.throwIfAborted();
    });
  } catch (error) {
    await writer.close();
    if (!isDailyLimit(error)) throw error;
    return { rows: writer.rows.length, requests: booking.requests, ...result, limited: true };
  }
  const part = await writer.commit();
  return { rows: part?.rows ?? 0, requests: booking.requests, ...result };
}

async function fetchAll(
  deps: CrawlDeps,
  input: CrawlChunkInput,
  entities: string[],
  writer: PartWriter,
  pulse: Pulse,
  booking: RequestLog,
  result: { failed: number; doubted: boolean },
): Promise<void> {
  const fetcher = fetchers[input.stream];
  if (!fetcher) throw new Error(`stream ${input.stream} is not fetched by entity`);
  const finished = fetcher.finished(writer.rows);
  const open = entities.filter((entity) => !finished.has(entity));
  let done = entities.length - open.length;
  let inARow = 0;
  let refusedInARow = 0;
  const failures = new Map<string, ApiError>();
  const doubts = new LimitDoubts(() => saysRoom(deps, pulse), input.doubts ?? null);

  const budget = input.budget ?? Infinity;
  const attempt = async (entity: string): Promise<void> => {
    if (booking.requests >= budget) throw new NoRoomError();
    const afterRefusal = doubts.aside.size > 0;
    try {
      for await (const row of fetcher.fetch(deps.client, input.ctx, entity, pulse.signal)) await writer.append(row);
      failures.delete(entity);
      doubts.answered(entity, afterRefusal);
      inARow = refusedInARow = 0;
    } catch (error) {
      if (pulse.signal.aborted) throw error;
      if (error instanceof LimitError && isDailyLimit(error)) {
        if ((await doubts.heard(entity, error)) === 'again') await attempt(entity);
        return;
      }
      // A company must not end the night by always refusing a key that is accepted elsewhere.
      const refusedHere =
        isKeyRefused(error) && ++refusedInARow < REFUSALS_IN_A_ROW && (await apiAnswers(deps.client, pulse.signal));
      if (!refusedHere && stopsEverything(error)) throw error;
      const fault = error as ApiError;
      if (fault instanceof NotFoundError) {
        await writer.append(rowOfError(fault, entity, 'gone'));
        doubts.answered(entity, afterRefusal);
        inARow = refusedInARow = 0;
      } else {
        failures.set(entity, fault);
        if (++inARow >= GIVE_UP_AFTER) {
          if (!(await apiAnswers(deps.client, pulse.signal))) throw apiUnavailable(fault);
          inARow = 0;
        }
      }
    }
    pulse.beat({ step: input.stream, done: ++done, total: entities.length, requests: booking.requests });
  };

  const lanes = lanesOf(deps, input.concurrency, input.atOnce);
  await inParallel(open, lanes, attempt);
  // A second go at the end of the chunk: what hit a passing fault has had time to recover. Those that are refused the
  // key come one after another here though others were answered in between.
  inARow = 0;
  refusedInARow = -Infinity;
  done -= failures.size;
  await inParallel([...failures.keys()], lanes, attempt);
  for (let again = 0; again < DOUBTED_TRIES && doubts.aside.size > 0; again++) {
    result.doubted = !doubts.proven;
    const [first] = doubts.aside.values();
    if (first && result.doubted) throw first;
    await inParallel([...doubts.aside.keys()], lanes, attempt);
  }
  for (const [entity, fault] of doubts.aside) failures.set(entity, fault);
  for (const [entity, fault] of failures) {
    await writer.append(rowOfError(fault, entity, 'failed'));
  }
  result.failed = failures.size;
}

function readEntities(dataDir: string, { ctx, stream, chunk }: CrawlChunkInput): string[] {
  const name = `chunk-${String(chunk).padStart(5, '0')}.json`;
  const file = path.join(dataDir, 'runs', ctx.run, 'due', stream, name);
  return (JSON.parse(readFileSync(file, 'utf8')) as DueEntity[]).map(({ id }) => id);
}

function apiUnavailable(fault: ApiError): TidemarkError {
  return new TidemarkError(
    'ApiUnavailable',
    `${GIVE_UP_AFTER} requests in a row failed and so does /v2/metrics; the last with: ${fault.message}`,
    {
      todo: 'Check that the API is up (tidemark doctor). The run waits and goes on by itself; nothing that was landed is fetched again.',
      retryable: true,
      cause: fault,
    },
  );
}
