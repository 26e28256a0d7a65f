import type { CrawlChunkInput } from '../../schemas/pipeline/crawl.js';
import { isLimit, isRefusal, LimitError, NotFoundError, type ApiError } from '../api-client/index.js';
import { TidemarkError } from '../core/errors.js';
import type { NewRow, PartWriter } from '../landing/index.js';
import type { RequestLog } from '../ledger/request-log.js';
import { Routes, RoutesClosedError } from '../resolve/routes.js';
import {
  apiAnswers,
  isDailyLimit,
  isKeyRefused,
  isLimitOutlasted,
  LIMIT_PATIENCE_MS,
  NoRoomError,
  rowOfError,
  stopsEverything,
} from './answer.js';
import type { CrawlDeps, Pulse } from './deps.js';
import { CUT_SHORT, fetchers, type Fetcher } from './fetchers.js';
import { FIRST_REQUESTS, FirstAnswer } from './first-answer.js';
import { inParallel } from './in-parallel.js';
import { lanesOf } from './lanes.js';
import { LimitDoubts } from './limit-doubts.js';
import { findAnswered, isAnswered } from './other-records.js';
import { saysRoom } from './read-quota.js';
import { RouteRefusedError } from './refusal.js';

// After this many entities have failed one after another, each after its own retries, the API itself is asked.
const GIVE_UP_AFTER = 20;
// After this many that were refused the key one after another it is believed, whatever /v2/metrics says of it.
const REFUSALS_IN_A_ROW = 10;
// A record that answers with the daily limit against the figure is filed as failed after so many tries more.
const DOUBTED_TRIES = 2;
// After so many answers `limit` in a row the attempt ends, and Temporal does the waiting.
const LIMITS_IN_A_ROW = 3;
// From this attempt on a record that is answered `limit` while others are answered may be filed as failed, …
const LIMIT_ATTEMPTS = 4;
// … once it was so, in turn with a record that was answered, so many times.
const LIMIT_ROUNDS = 3;

/** What another record was answered: null for an answer, else the fault; undefined where there was none to ask. */
interface Told {
  told: ApiError | null | undefined;
  /** Whether it was answered before. */
  known: boolean;
}

/** What an attempt is made with. */
export interface ChunkWork {
  deps: CrawlDeps;
  input: CrawlChunkInput;
  entities: readonly string[];
  writer: PartWriter;
  pulse: Pulse;
  booking: RequestLog;
}

/**
 * One attempt at a chunk: fetches the entities that are not landed yet, tells a fault of one entity from one of them
 * all, and files the former.
 */
export class ChunkAttempt {
  readonly #work: ChunkWork;
  readonly #fetcher: Fetcher;
  readonly #open: readonly string[];
  readonly #routes: Routes;
  readonly #first = new FirstAnswer();
  readonly #doubts: LimitDoubts;
  readonly #tried = new Set<string>();
  readonly #answered = new Set<string>();
  /** Entities asked for out of turn, to compare with. */
  readonly #probed = new Set<string>();
  #asking: Promise<Told> | null = null;
  /** What entities without an answer said last: a fault, that the key may not ask, or `limit`. */
  readonly #failures = new Map<string, ApiError>();
  readonly #refused = new Map<string, ApiError>();
  readonly #limited = new Map<string, LimitError>();
  /** Entities that no route could answer which is open to the key. */
  readonly #skipped = new Set<string>();
  /** Entities of which only a part was read, as a row of each says. */
  readonly #cutShort = new Set<string>();
  /** An entity that the API answered, in this chunk. */
  #known: string | null;
  #failedInARow = 0;
  #keyRefusedInARow = 0;
  #refusedInARow = 0;
  #limitedInARow = 0;
  #doubted = false;

  constructor(work: ChunkWork) {
    const { deps, input, entities, writer, pulse } = work;
    const fetcher = fetchers[input.stream];
    if (!fetcher) throw new Error(`stream ${input.stream} is not fetched by entity`);
    this.#work = work;
    this.#fetcher = fetcher;
    this.#routes = new Routes(input.refused ?? []);
    this.#doubts = new LimitDoubts(() => saysRoom(deps, pulse), input.doubts ?? null);
    const finished = fetcher.finished(writer.rows);
    this.#open = entities.filter((entity) => !finished.has(entity));
    this.#known = writer.rows.find(isAnswered)?.entity_id ?? null;
  }

  /** Set when all that is left was answered with the daily limit while the figure says that there is room. */
  get doubted(): boolean {
    return this.#doubted;
  }

  /** Refusals of the routes that the key may not use, of a stream that has several. */
  get refusedRoutes(): ApiError[] {
    if (!this.#fetcher.manyRoutes) return [];
    return this.#known === null ? this.#routes.refused : this.#routes.closed;
  }

  /**
   * Fetches and lands what is open.
   * @returns how many entities were filed as failed
   * @throws RouteRefusedError when the API refuses the stream to the key; LimitError when the API limits more than single
   * records; what concerns every request
   */
  async run(): Promise<number> {
    const { deps, input, writer } = this.#work;
    const lanes = lanesOf(deps, input.concurrency, input.atOnce);
    const attempt = (entity: string) => this.#first.run(() => this.#attempt(entity));
    await inParallel(this.#open, lanes, attempt);
    await this.#judgeRefused();
    // A second go at the end of the chunk: what hit a passing fault has had time to recover. Those that are refused come
    // one after another here though others were answered in between.
    this.#failedInARow = this.#limitedInARow = 0;
    this.#keyRefusedInARow = this.#refusedInARow = -Infinity;
    await inParallel([...this.#failures.keys(), ...this.#refused.keys(), ...this.#limited.keys()], lanes, attempt);
    for (let again = 0; again < DOUBTED_TRIES && this.#doubts.aside.size > 0; again++) {
      this.#doubted = !this.#doubts.proven;
      const [first] = this.#doubts.aside.values();
      if (first && this.#doubted) throw first;
      await inParallel([...this.#doubts.aside.keys()], lanes, attempt);
    }
    for (let round = 0; round < LIMIT_ROUNDS && this.#limited.size > 0; round++) {
      const [limit] = this.#limited.values();
      if (limit) await this.#requireOthersAnswered(limit);
      await inParallel([...this.#limited.keys()], lanes, attempt);
    }
    const failed = new Map([...this.#failures, ...this.#refused, ...this.#limited, ...this.#doubts.aside]);
    for (const [entity, fault] of failed) await writer.append(rowOfError(fault, entity, 'failed'));
    return failed.size + this.#cutShort.size;
  }

  async #attempt(entity: string): Promise<void> {
    const { input, booking, pulse, writer } = this.#work;
    if (this.#probed.has(entity)) await this.#asking?.catch(() => undefined);
    if (this.#answered.has(entity)) return;
    if (booking.requests >= (input.budget ?? Infinity)) throw new NoRoomError();
    this.#tried.add(entity);
    const afterRefusal = this.#doubts.aside.size > 0;
    try {
      const rows = await this.#fetch(entity);
      for (const row of rows) await writer.append(row);
      if (rows.some(({ status }) => status === CUT_SHORT)) this.#cutShort.add(entity);
      this.#noteAnswer(entity, afterRefusal);
    } catch (error) {
      if (pulse.signal.aborted) throw error;
      if (error instanceof LimitError && isDailyLimit(error)) {
        if ((await this.#doubts.heard(entity, error)) === 'again') await this.#attempt(entity);
        return;
      }
      if (error instanceof NotFoundError) {
        await writer.append(rowOfError(error, entity, 'gone'));
        this.#noteAnswer(entity, afterRefusal);
      } else if (error instanceof RoutesClosedError) {
        this.#forget(entity);
        this.#skipped.add(entity);
        this.#first.open();
      } else if (isLimit(error)) {
        await this.#noteLimit(entity, error);
      } else if (isRefusal(error)) {
        await this.#noteRefusal(entity, error);
      } else {
        await this.#noteFailure(entity, error);
      }
    }
    const done = this.#answered.size + this.#failures.size + this.#refused.size + this.#skipped.size;
    const total = this.#work.entities.length;
    pulse.beat({ step: input.stream, done: total - this.#open.length + done, total, requests: booking.requests });
  }

  /** All rows of an entity, or none: what is cut off in the middle is asked from its start again. */
  async #fetch(entity: string): Promise<NewRow[]> {
    const { deps, input, pulse } = this.#work;
    const rows: NewRow[] = [];
    for await (const row of this.#fetcher.fetch(deps.client, input.ctx, entity, pulse.signal, this.#routes)) {
      rows.push(row);
    }
    return rows;
  }

  #forget(entity: string): void {
    for (const faults of [this.#failures, this.#refused, this.#limited]) faults.delete(entity);
  }

  #noteAnswer(entity: string, sentAfterRefusal: boolean): void {
    this.#forget(entity);
    this.#doubts.answered(entity, sentAfterRefusal);
    this.#answered.add(entity);
    this.#known ??= entity;
    this.#failedInARow = this.#keyRefusedInARow = this.#refusedInARow = this.#limitedInARow = 0;
    this.#first.open();
  }

  async #noteFailure(entity: string, error: unknown): Promise<void> {
    const { deps, pulse } = this.#work;
    // A company must not end the night by always refusing a key that is accepted elsewhere.
    const refusedHere =
      isKeyRefused(error) &&
      ++this.#keyRefusedInARow < REFUSALS_IN_A_ROW &&
      (await apiAnswers(deps.client, pulse.signal));
    if (!refusedHere && stopsEverything(error)) throw error;
    const fault = error as ApiError;
    this.#forget(entity);
    this.#failures.set(entity, fault);
    this.#first.open();
    if (++this.#failedInARow < GIVE_UP_AFTER) return;
    if (!(await apiAnswers(deps.client, pulse.signal))) throw apiUnavailable(fault);
    this.#failedInARow = 0;
  }

  // ---- what the key may not ask ----

  async #noteRefusal(entity: string, error: ApiError): Promise<void> {
    this.#forget(entity);
    this.#refused.set(entity, error);
    if (this.#fetcher.manyRoutes) return;
    if (++this.#refusedInARow >= (this.#known === null ? FIRST_REQUESTS : GIVE_UP_AFTER))
      await this.#requireRoute(error);
  }

  /** Where every entity of a chunk was refused, few as they may be, it is asked what is refused. */
  async #judgeRefused(): Promise<void> {
    if (this.#fetcher.manyRoutes) return;
    const [error] = this.#refused.values();
    const others = this.#failures.size + this.#limited.size + this.#skipped.size + this.#doubts.aside.size;
    if (error && this.#known === null && others === 0) await this.#requireRoute(error);
  }

  /** @throws RouteRefusedError unless another record is answered */
  async #requireRoute(error: ApiError): Promise<void> {
    const { told, known } = await this.#askAnother();
    if (told === null || (told !== undefined && !isRefusal(told))) {
      this.#refusedInARow = 0;
      this.#first.open();
      return;
    }
    throw new RouteRefusedError(error, known);
  }

  // ---- too much for now ----

  async #noteLimit(entity: string, error: LimitError): Promise<void> {
    this.#forget(entity);
    this.#limited.set(entity, error);
    if (++this.#limitedInARow >= LIMITS_IN_A_ROW) await this.#requireOthersAnswered(error);
  }

  /** @throws LimitError unless another record is answered, and this attempt is late enough to believe it */
  async #requireOthersAnswered(error: LimitError): Promise<void> {
    if (this.#isOutlasted()) throw new RouteRefusedError(error, true);
    if (this.#work.pulse.attempt < LIMIT_ATTEMPTS) throw error;
    const { told } = await this.#askAnother();
    if (told !== null) throw error;
    this.#limitedInARow = -Infinity;
    this.#first.open();
  }

  /** Whether this chunk has met nothing but `limit` for longer than a run waits. */
  #isOutlasted(): boolean {
    const { writer, deps, pulse } = this.#work;
    const last = writer.rows.at(-1);
    if (!last) return isLimitOutlasted(pulse);
    return deps.clock.now().getTime() - Date.parse(last.fetched_at) > LIMIT_PATIENCE_MS;
  }

  // ---- what other records say ----

  /**
   * Asks for a record that was answered before, in this chunk, this run or an earlier one; where there is none, for two
   * that were not tried yet.
   */
  async #askAnother(): Promise<Told> {
    // Those in flight have the same question: it is asked once.
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<Told> {
    const { deps, input, pulse, writer } = this.#work;
    const faulty = new Set([...this.#failures.keys(), ...this.#refused.keys(), ...this.#limited.keys()]);
    this.#known ??= findAnswered(deps.config.dataDir, input.stream, faulty);
    const known = this.#known !== null;
    const untried = this.#open.filter((entity) => !this.#tried.has(entity));
    const candidates = known ? [this.#known] : [untried.at(-1), untried[untried.length >> 1]];
    let told: ApiError | undefined;
    for (const entity of new Set(candidates)) {
      if (entity === undefined || entity === null) continue;
      if (!known) this.#probed.add(entity);
      try {
        const rows = await this.#fetch(entity);
        if (!known) {
          for (const row of rows) await writer.append(row);
          this.#noteAnswer(entity, false);
        }
        return { told: null, known };
      } catch (error) {
        if (error instanceof NotFoundError) return { told: null, known };
        if (error instanceof RoutesClosedError) continue;
        if (pulse.signal.aborted || stopsEverything(error)) throw error;
        told = error as ApiError;
      }
    }
    return { told, known };
  }
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
