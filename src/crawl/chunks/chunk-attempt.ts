import type { CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import { isLimit, isRefusal, LimitError, NotFoundError, type ApiError } from '../../api/index.js';
import { keepsContacts } from '../../config/config.js';
import type { NewRow, PartWriter } from '../../landing/index.js';
import { openFingerprint, type Fingerprint } from '../../privacy/fingerprint.js';
import type { RequestLog } from '../../landing/request-log.js';
import { Routes, RoutesClosedError } from '../routes.js';
import {
  apiAnswers,
  isDailyLimit,
  isKeyRefused,
  isLimitOutlasted,
  LIMIT_PATIENCE_MS,
  NoRoomError,
  rowOfError,
  stopsEverything,
} from '../records/answer.js';
import { heldBack, mostInFlight, type CrawlDeps, type Heartbeat } from '../records/deps.js';
import type { Fetcher } from '../records/fetcher.js';
import { fetchers } from '../streams/index.js';
import { CUT_SHORT } from '../records/read-pages.js';
import { fetchRows, isRowOf } from './fetch-rows.js';
import { FIRST_REQUESTS, FirstAnswer } from '../judge/first-answer.js';
import { inParallel } from '../../base/in-parallel.js';
import { apiUnavailable } from '../judge/api-unavailable.js';
import { SuspectedLimits } from '../judge/suspected-limits.js';
import { findAnswered, isAnswered } from '../judge/other-records.js';
import { saysRoom } from '../read-quota.js';
import { RouteRefusedError } from '../judge/refusal.js';
import { worthRepeating } from '../judge/worth-repeating.js';

// After this many consecutive failed records, check whether the API is up. A record counts as failed after the client's
// own retries.
const GIVE_UP_AFTER = 20;
// After this many consecutive 401s, treat the API key as revoked even if /v2/metrics accepts it.
const REFUSALS_IN_A_ROW = 10;
// A suspected limit is a daily-limit answer to one record while `/v2/metrics` still shows quota. Request such a record
// this many times more, then file it as failed.
const SUSPECTED_TRIES = 2;
// After this many consecutive `limit` answers, end the attempt. Temporal then waits before it starts the next attempt.
const LIMITS_IN_A_ROW = 3;
// From this attempt of the activity on, a record may be filed as failed if it gets `limit` while other records get
// answers.
const LIMIT_ATTEMPTS = 4;
// At the end of a chunk, request records with a `limit` answer in at most this many more rounds. Then file them as
// failed.
const LIMIT_ROUNDS = 3;

/** Result of requesting another record after one failed. It shows whether the API fails for that one record only. */
interface Comparison {
  /** The error of the other record. Null if the API answered it; undefined if there was no other record to request. */
  fault: ApiError | null | undefined;
  /** Whether the API had answered the other record before this request. */
  known: boolean;
}

/** The dependencies and the input of one attempt. */
export interface ChunkWork {
  deps: CrawlDeps;
  input: CrawlChunkInput;
  entities: readonly string[];
  writer: PartWriter;
  heartbeat: Heartbeat;
  booking: RequestLog;
}

/**
 * One attempt to fetch the entities of a chunk that are not landed yet. An entity is a company, a tender or a question.
 * If only single entities fail, they are filed as failed. If all requests fail, the attempt ends.
 *
 * States of an entity:
 * - open: has no landed row yet
 * - answered: its rows are written to the spool; a 404 is an answer, too
 * - failed: the last request failed; tried again at the end
 * - refused: the API refused the route for it; tried again at the end
 * - limited: the last answer was `limit`; tried again at the end
 * - suspected: the last answer was a suspected limit (see SuspectedLimits); tried again at the end
 * - skipped: the API refuses every route that could answer it; it stays due for a later run
 *
 * At the end of the chunk, entities that are still failed, refused, limited or suspected are filed as failed.
 */
export class ChunkAttempt {
  readonly #work: ChunkWork;
  readonly #fetcher: Fetcher;
  readonly #open: readonly string[];
  readonly #routes: Routes;
  readonly #first = new FirstAnswer();
  readonly #suspected: SuspectedLimits;
  readonly #tried = new Set<string>();
  readonly #answered = new Set<string>();
  /** Entities that were requested early, to compare them with failing entities. */
  readonly #probed = new Set<string>();
  #asking: Promise<Comparison> | null = null;
  /** Entities without an answer, each with its last error: a fault, a refusal of the route, or `limit`. */
  readonly #failures = new Map<string, ApiError>();
  readonly #refused = new Map<string, ApiError>();
  readonly #limited = new Map<string, LimitError>();
  /** Entities for which the API refuses every route. */
  readonly #skipped = new Set<string>();
  /** Entities that were read only in part. A landed row of each entity names the missing part. */
  readonly #cutShort = new Set<string>();
  /** An entity that the API has answered; null if none is known. */
  #known: string | null;
  #failedInARow = 0;
  #keyRefusedInARow = 0;
  #refusedInARow = 0;
  #limitedInARow = 0;
  #hasSuspected = false;
  #opened: Promise<Fingerprint> | undefined;

  constructor(work: ChunkWork) {
    const { deps, input, entities, writer, heartbeat } = work;
    const fetcher = fetchers[input.stream];
    this.#work = work;
    this.#fetcher = fetcher;
    this.#routes = new Routes(input.refused ?? []);
    this.#suspected = new SuspectedLimits(() => saysRoom(deps, heartbeat), input.doubts ?? null);
    const finished = fetcher.finished(writer.rows);
    this.#open = entities.filter((entity) => !finished.has(entity));
    this.#known = writer.rows.find(isAnswered)?.entity_id ?? null;
  }

  /** Whether only entities with suspected limits were left when the attempt ended. */
  get doubted(): boolean {
    return this.#hasSuspected;
  }

  /** The refusals of routes that the API key may not use. Empty for streams with a single route. */
  get refusedRoutes(): ApiError[] {
    if (!this.#fetcher.manyRoutes) return [];
    return this.#known === null ? this.#routes.refused : this.#routes.closed;
  }

  /**
   * Fetches and lands the open entities.
   * @returns how many entities were filed as failed or read only in part
   * @throws RouteRefusedError when the API refuses the stream's route, or has answered only `limit` for two hours
   * @throws LimitError when `limit` or the daily limit concerns more than single records
   * @throws NoRoomError when the run has used its budget of requests
   * @throws any error that concerns every request, such as TokenVerificationError or `ApiUnavailable`
   */
  async run(): Promise<number> {
    const { deps, input, writer } = this.#work;
    const share = mostInFlight(deps, input.concurrency);
    const attempt = (id: string) => this.#first.run(() => this.#attempt(id));
    await inParallel(this.#open, share, attempt);
    await this.#judgeRefused();
    // Try failed entities again at the end, when a temporary fault may be over. Only failing entities are left, and
    // many refusals in a row are normal then. Set the counters of refusals to -Infinity, so that refusals do not end
    // the attempt.
    this.#failedInARow = this.#limitedInARow = 0;
    this.#keyRefusedInARow = this.#refusedInARow = -Infinity;
    await inParallel(
      [...worthRepeating(this.#failures, this.#fetcher), ...this.#refused.keys(), ...this.#limited.keys()],
      share,
      attempt,
    );
    for (let again = 0; again < SUSPECTED_TRIES && this.#suspected.records.size > 0; again++) {
      this.#hasSuspected = !this.#suspected.proven;
      const [first] = this.#suspected.records.values();
      if (first && this.#hasSuspected) throw first;
      await inParallel([...this.#suspected.records.keys()], share, attempt);
    }
    for (let round = 0; round < LIMIT_ROUNDS && this.#limited.size > 0; round++) {
      const [limit] = this.#limited.values();
      if (limit) await this.#requireOthersAnswered(limit);
      await inParallel([...this.#limited.keys()], share, attempt);
    }
    const failed = new Map([...this.#failures, ...this.#refused, ...this.#limited, ...this.#suspected.records]);
    for (const [entity, fault] of failed) await writer.append(this.#rowOfError(fault, entity, 'failed'));
    return failed.size + this.#cutShort.size;
  }

  async #attempt(entity: string): Promise<void> {
    const { input, booking, heartbeat, writer } = this.#work;
    if (this.#probed.has(entity)) await this.#asking?.catch(() => undefined);
    if (this.#answered.has(entity)) return;
    if (booking.requests >= (input.budget ?? Infinity)) throw new NoRoomError();
    this.#tried.add(entity);
    const afterRefusal = this.#suspected.records.size > 0;
    try {
      await this.#land(entity);
      this.#noteAnswer(entity, afterRefusal);
    } catch (error) {
      if (heartbeat.signal.aborted) throw error;
      if (error instanceof LimitError && isDailyLimit(error)) {
        if ((await this.#suspected.heard(entity, error)) === 'again') await this.#attempt(entity);
        return;
      }
      if (error instanceof NotFoundError) {
        await writer.append(this.#rowOfError(error, entity, 'gone'));
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
    heartbeat.report({ step: input.stream, done: total - this.#open.length + done, total, requests: booking.requests });
  }

  /**
   * Fetches and lands all rows of an entity. After an error, the next try reads the entity from its start, unless the
   * fetcher can resume.
   */
  async #land(entity: string): Promise<void> {
    const { writer, booking, input, deps } = this.#work;
    const { resumes = false, costly = false } = this.#fetcher;
    const most = heldBack(mostInFlight(deps), input.atOnce);
    const landed = resumes ? writer.rows.filter(isRowOf(entity)) : [];
    const rows: NewRow[] = [];
    for await (const row of await this.#rowsOf(entity, landed)) {
      rows.push(row);
      if (!resumes) continue;
      await writer.append(row);
      if (booking.requests >= (input.budget ?? Infinity)) throw new NoRoomError();
    }
    if (!resumes) for (const row of rows) await (costly ? writer.keep(row) : writer.add(row, most));
    if (rows.some(({ status }) => status === CUT_SHORT)) this.#cutShort.add(entity);
  }

  /** @param landed rows of earlier tries; a fetcher that can resume continues after them */
  async #rowsOf(entity: string, landed: readonly LandedRow[]): Promise<AsyncIterable<NewRow>> {
    const { dataDir } = this.#work.deps.config;
    const fingerprint = this.#keepsPeople ? null : await (this.#opened ??= openFingerprint(dataDir));
    return fetchRows(this.#fetcher, { ...this.#work, routes: this.#routes, landed, fingerprint }, entity);
  }

  /**
   * Whether answers may be landed unchanged. True if they describe only companies, or if `personalData` is `contacts`.
   */
  get #keepsPeople(): boolean {
    return this.#fetcher.withoutPersonalData === undefined || keepsContacts(this.#work.deps.config);
  }

  /**
   * Makes the row of an error. If the answer may describe people, the row holds only the error's message, because the
   * answer may name them.
   */
  #rowOfError(error: ApiError, entity: string, rowKind: string): NewRow {
    const row = rowOfError(error, entity, rowKind);
    return this.#keepsPeople ? row : { ...row, body: error.message };
  }

  #forget(entity: string): void {
    for (const faults of [this.#failures, this.#refused, this.#limited]) faults.delete(entity);
  }

  #noteAnswer(entity: string, sentAfterRefusal: boolean): void {
    this.#forget(entity);
    this.#suspected.answered(entity, sentAfterRefusal);
    this.#answered.add(entity);
    this.#known ??= entity;
    this.#failedInARow = this.#keyRefusedInARow = this.#refusedInARow = this.#limitedInARow = 0;
    this.#first.open();
  }

  async #noteFailure(entity: string, error: unknown): Promise<void> {
    const { deps, heartbeat } = this.#work;
    // If the API refuses the API key for this company only, file the company as failed and continue.
    const refusedHere =
      isKeyRefused(error) &&
      ++this.#keyRefusedInARow < REFUSALS_IN_A_ROW &&
      (await apiAnswers(deps.client, heartbeat.signal));
    if (!refusedHere && stopsEverything(error)) throw error;
    const fault = error as ApiError;
    this.#forget(entity);
    this.#failures.set(entity, fault);
    this.#first.open();
    if (++this.#failedInARow < GIVE_UP_AFTER) return;
    if (!(await apiAnswers(deps.client, heartbeat.signal))) throw apiUnavailable(fault, GIVE_UP_AFTER);
    this.#failedInARow = 0;
  }

  // ---- refused routes ----

  async #noteRefusal(entity: string, error: ApiError): Promise<void> {
    this.#forget(entity);
    this.#refused.set(entity, error);
    if (this.#fetcher.manyRoutes) return;
    if (++this.#refusedInARow >= (this.#known === null ? FIRST_REQUESTS : GIVE_UP_AFTER))
      await this.#requireRoute(error);
  }

  /**
   * If every entity was refused, checks whether the API refuses the whole route. The usual check starts only after
   * FIRST_REQUESTS consecutive refusals, which a small chunk never reaches.
   */
  async #judgeRefused(): Promise<void> {
    if (this.#fetcher.manyRoutes) return;
    const [error] = this.#refused.values();
    const others = this.#failures.size + this.#limited.size + this.#skipped.size + this.#suspected.records.size;
    if (error && this.#known === null && others === 0) await this.#requireRoute(error);
  }

  /**
   * Requests another record, to see whether the API refuses the whole route.
   * @throws RouteRefusedError when the API refuses the other record, too, or when there is no other record
   */
  async #requireRoute(error: ApiError): Promise<void> {
    const { fault, known } = await this.#askAnother();
    if (fault === null || (fault !== undefined && !isRefusal(fault))) {
      this.#refusedInARow = 0;
      this.#first.open();
      return;
    }
    throw new RouteRefusedError(error, known);
  }

  // ---- rate limit ----

  async #noteLimit(entity: string, error: LimitError): Promise<void> {
    this.#forget(entity);
    this.#limited.set(entity, error);
    if (++this.#limitedInARow >= LIMITS_IN_A_ROW) await this.#requireOthersAnswered(error);
  }

  /**
   * Requests another record, to see whether the API answers `limit` only for single records.
   * @throws RouteRefusedError when the API has answered only `limit` for two hours
   * @throws LimitError before attempt LIMIT_ATTEMPTS, when there is no other record, or when the API does not answer it
   */
  async #requireOthersAnswered(error: LimitError): Promise<void> {
    if (this.#isOutlasted()) throw new RouteRefusedError(error, true);
    if (this.#work.heartbeat.attempt < LIMIT_ATTEMPTS) throw error;
    const { fault } = await this.#askAnother();
    if (fault !== null) throw error;
    this.#limitedInARow = -Infinity;
    this.#first.open();
  }

  /**
   * Whether the API has answered only `limit` for longer than LIMIT_PATIENCE_MS. Counts from the last landed row, or
   * else from the activity's first attempt.
   */
  #isOutlasted(): boolean {
    const { writer, deps, heartbeat } = this.#work;
    const last = writer.rows.at(-1);
    if (!last) return isLimitOutlasted(heartbeat);
    return deps.clock.now().getTime() - Date.parse(last.fetched_at) > LIMIT_PATIENCE_MS;
  }

  // ---- comparison with other records ----

  /**
   * Requests a record that the API answered before, in this chunk, this run or an earlier run. If no such record is
   * known, or if requests of the stream are costly, requests up to two records that were not requested yet.
   */
  async #askAnother(): Promise<Comparison> {
    // Several requests in flight may fail at the same moment. Request another record only once for all of them.
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<Comparison> {
    const { deps, input, heartbeat } = this.#work;
    const faulty = new Set([...this.#failures.keys(), ...this.#refused.keys(), ...this.#limited.keys()]);
    const { costly = false } = this.#fetcher;
    if (!costly) this.#known ??= await findAnswered(deps.config.dataDir, input.stream, faulty);
    const known = this.#known !== null && !costly;
    const untried = this.#open.filter((entity) => !this.#tried.has(entity));
    const candidates = known ? [this.#known] : [untried.at(-1), untried[untried.length >> 1]];
    let fault: ApiError | undefined;
    for (const entity of new Set(candidates)) {
      if (entity === undefined || entity === null) continue;
      if (!known) this.#probed.add(entity);
      try {
        if (known) {
          // One row proves that the API answers this record. Don't land the row again.
          for await (const _ of await this.#rowsOf(entity, [])) break;
        } else {
          await this.#land(entity);
          this.#noteAnswer(entity, false);
        }
        return { fault: null, known };
      } catch (error) {
        if (error instanceof NotFoundError) return { fault: null, known };
        if (error instanceof RoutesClosedError) continue;
        if (heartbeat.signal.aborted || stopsEverything(error)) throw error;
        fault = error as ApiError;
      }
    }
    return { fault, known };
  }
}
