import type { DiscoverResult, LoadResult, ModelsResult, QuotaStatus } from '../../schemas/pipeline/activities.js';
import type { CarriedRun, ChunkRound, LoadWarnings } from '../../schemas/pipeline/carried.js';
import type { CrawlOutcome } from '../../schemas/pipeline/landing.js';
import type { DueSummary } from '../../schemas/pipeline/due.js';
import { MOST_IN_FLIGHT } from '../../schemas/pipeline/limits.js';
import type { StatedReason } from '../../schemas/pipeline/reason.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { Progress, ProgressStep, RunContext, TableProgress } from '../../schemas/pipeline/run.js';
import { refusalInWords, waitingReason } from './describe.js';
import { countFailed } from './failed-records.js';
import { hasNoFigure } from '../quota-room.js';

// Phases in which the run works on one table after the other.
const WITH_TABLES: ReadonlySet<Progress['phase']> = new Set(['modelling', 'publishing']);
const LONGEST_NAME = 200;

function isConcurrency(limit: unknown): limit is number {
  return typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 && limit <= MOST_IN_FLIGHT;
}

/** Returns the state of a run that has done nothing yet. */
export function beginning(ctx: RunContext, progress: Progress, notes: string[]): CarriedRun {
  return {
    ctx,
    paused: false,
    concurrency: null,
    workers: ctx.workers,
    completed: [],
    nextChunk: 0,
    again: null,
    progress,
    coverage: null,
    short: false,
    quotaUnknown: false,
    clockNoted: false,
    waitedMs: 0,
    waitAlerted: false,
    stopped: false,
    landed: 0,
    due: [],
    refused: [],
    why: [],
    failed: {},
    notes,
  };
}

/**
 * A run's state, and the decisions that follow from it. This class does not use Temporal, so tests need no server.
 * `carry` returns the fields that the next execution needs; the other fields end with this execution.
 *
 * Operator requests:
 * - running → paused: `pause`. paused → running: `resume`.
 * - running or paused → stop requested: `requestStop`. Has no effect after `endCrawl`.
 * - stop requested → stopped: `obeyStop` at the next checkpoint. Only loading and publishing follow.
 */
export class RunState {
  readonly ctx: RunContext;
  readonly notes: string[];
  /** For each stream planned so far: how many entities were due. */
  readonly due: DueSummary[];
  /** Routes that the API refuses to this API key. This run does not request them again. */
  readonly refused: Refusal[];
  /** Why the run is not complete, for people and programs. */
  readonly why: StatedReason[];
  coverage: DiscoverResult['coverage'];
  concurrency: number | null;
  /** Number of crawl workers, as counted last. */
  workers: number;
  nextChunk: number;
  again: ChunkRound | null;
  readonly progress: Progress;
  /** Whether an operator stopped the run before its crawl ended. */
  stopped: boolean;
  /** Milliseconds that the run has waited for quota, without the current wait. */
  waitedMs: number;
  /** Whether the run has sent an alert about its waits for quota. */
  waitAlerted: boolean;
  /** What the loads of this run found. */
  readonly loadWarnings: LoadWarnings;
  readonly #completed: string[];
  /** Number of failed records by stream and chunk. */
  readonly #failed: Record<string, number>;
  #paused: boolean;
  #short: boolean;
  #quotaUnknown: boolean;
  #clockNoted: boolean;
  /** Number of answers that the activities landed. */
  #landed: number;

  // The fields from here on are not carried over. Except `#tickedAt`, they change only when the run no longer continues
  // as new.
  /** True if nothing was due. The run then loads and publishes nothing. */
  idle = false;
  /** Outcome that was recorded when the crawl ended; null before the crawl's end. */
  closed: { crawled: CrawlOutcome; heldBack: string | null } | null = null;
  #stopRequested = false;
  #stoppable = true;
  /** Time of the last `tick`. */
  #tickedAt: number | null = null;

  constructor(carried: CarriedRun) {
    this.ctx = carried.ctx;
    this.notes = carried.notes;
    this.due = carried.due;
    this.refused = carried.refused;
    this.why = carried.why;
    this.#failed = carried.failed;
    this.again = carried.again;
    this.stopped = carried.stopped;
    this.#quotaUnknown = carried.quotaUnknown;
    this.#clockNoted = carried.clockNoted;
    this.#landed = carried.landed;
    this.waitedMs = carried.waitedMs;
    this.waitAlerted = carried.waitAlerted;
    this.coverage = carried.coverage;
    this.concurrency = carried.concurrency;
    this.workers = carried.workers;
    this.nextChunk = carried.nextChunk;
    // Use the same array of notes in `progress`, so that it also shows later notes.
    this.progress = { ...carried.progress, notes: carried.notes };
    this.loadWarnings = carried.loadWarnings ?? { parts: [], drift: [] };
    this.#completed = carried.completed;
    this.#paused = carried.paused;
    this.#short = carried.short;
  }

  /** Returns the state with which the next execution continues. */
  carry(): CarriedRun {
    return {
      ctx: this.ctx,
      paused: this.#paused,
      concurrency: this.concurrency,
      workers: this.workers,
      completed: this.#completed,
      nextChunk: this.nextChunk,
      again: this.again,
      progress: this.progress,
      coverage: this.coverage,
      short: this.#short,
      quotaUnknown: this.#quotaUnknown,
      clockNoted: this.#clockNoted,
      waitedMs: this.waitedMs,
      waitAlerted: this.waitAlerted,
      stopped: this.stopped,
      landed: this.#landed,
      due: this.due,
      refused: this.refused,
      why: this.why,
      failed: this.#failed,
      notes: this.notes,
      loadWarnings: this.loadWarnings,
    };
  }

  // ---- operator requests ----

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Whether the run waits for an operator: it is paused, and no stop was requested since then. */
  get held(): boolean {
    return this.#paused && !this.#stopRequested;
  }

  /** Requests a stop. Returns false after the end of the crawl, when a stop has no effect. */
  requestStop(): boolean {
    this.#stopRequested ||= this.#stoppable;
    return this.#stoppable;
  }

  /** Whether a stop was requested and the run has not obeyed it yet. */
  get stopRequested(): boolean {
    return this.#stopRequested;
  }

  /** Obeys a requested stop. Returns true when the run must end its crawl. */
  obeyStop(): boolean {
    if (!this.#stoppable || !(this.#stopRequested || this.stopped)) return false;
    // End the pause, too, so that the run can load and publish. `stopped` stays true, so that chunks fetched at the
    // same time also stop.
    this.#stopRequested = this.#paused = false;
    this.stopped = true;
    return true;
  }

  /** Marks the end of the crawl. From now on, a stop has no effect. */
  endCrawl(): void {
    this.#stoppable = false;
  }

  /** Returns why a number of requests in flight is invalid; null when the run accepts the number. */
  concurrencyFault(limit: unknown): string | null {
    if (!isConcurrency(limit)) {
      return `setConcurrency takes a whole number from 0 to ${MOST_IN_FLIGHT}, not ${JSON.stringify(limit)}.`;
    }
    const most = this.ctx.maxConcurrency;
    if (limit > most) return `Cannot set ${limit} requests in flight: api.maxConcurrency allows ${most}.`;
    if (!this.#stoppable) return 'The crawl of this run has ended, so the run sends no more requests.';
    return null;
  }

  /** Sets the requests in flight, a number without a `concurrencyFault`. With 0, the configured number applies again. */
  setConcurrency(limit: number): void {
    this.concurrency = limit || null;
  }

  // ---- steps ----

  /** Begins or continues a step. Returns null when the step is already done. */
  beginStep(name: string): ProgressStep | null {
    if (this.#completed.includes(name)) return null;
    const known = this.progress.steps.find((step) => step.name === name);
    if (known) return known;
    const shown: ProgressStep = { name, done: 0, total: null, state: 'running', workedMs: 0 };
    this.progress.steps.push(shown);
    return shown;
  }

  /**
   * Adds the time since the last call to the running steps. Time of waits and pauses does not count. Call it before
   * each change of phase.
   * @param now milliseconds since 1970
   */
  tick(now: number): void {
    const worked = this.#tickedAt === null || this.progress.phase !== 'crawling' ? 0 : now - this.#tickedAt;
    this.#tickedAt = now;
    for (const step of this.progress.steps) {
      if (step.state === 'running') step.workedMs += worked;
    }
  }

  endStep(shown: ProgressStep): void {
    shown.state = 'done';
    this.nextChunk = 0;
    this.again = null;
    this.#completed.push(shown.name);
  }

  /** Counts the rows that a finished activity landed. */
  countLanded(rows: number): void {
    this.#landed += rows;
  }

  /** Returns the number of rows that the run landed. The landing zone must hold at least as many. */
  get landed(): number {
    return this.#landed;
  }

  // ---- gaps and notes ----

  /** Stores the table that the run builds or publishes now. Anyone can send a signal, so ignores malformed ones. */
  noteTable(sent: unknown): void {
    const { name, done, total } = (sent ?? {}) as Partial<TableProgress>;
    if (!WITH_TABLES.has(this.progress.phase) || typeof name !== 'string') return;
    if (!Number.isInteger(done) || !Number.isInteger(total)) return;
    this.progress.table = { name: name.slice(0, LONGEST_NAME), done: Number(done), total: Number(total) };
  }

  /** Adds a note for the operator without making the run partial. Ignores null and repeated notes. */
  note(text: string | null): void {
    if (text !== null && !this.notes.includes(text)) this.notes.push(text);
  }

  /** Notes what a load found: parts that are missing or cannot be loaded, and a failed search for schema drift. */
  noteLoaded({ gone, driftFault }: Pick<LoadResult, 'gone' | 'driftFault'>): void {
    if (gone) this.#warn('parts', gone);
    if (driftFault) this.#warn('drift', `Some answers could not be checked for schema drift: ${driftFault}`);
  }

  #warn(kind: keyof LoadWarnings, text: string): void {
    this.note(text);
    if (!this.loadWarnings[kind].includes(text)) this.loadWarnings[kind].push(text);
  }

  /** Adds a note that this machine's clock is wrong. Adds it only once, because the text differs with each reading. */
  noteClock({ clock }: QuotaStatus): void {
    if (!this.#clockNoted) this.note(clock);
    this.#clockNoted ||= clock !== null;
  }

  /** Stores whether the API gives a daily quota figure. Adds a note if the reading failed. */
  noteQuota(status: QuotaStatus): void {
    this.#quotaUnknown = hasNoFigure(status);
    this.note(status.fault);
  }

  /** Stores in the progress why the run waits for quota. */
  beginQuotaWait(): void {
    const { leavesQuota, probeEverySeconds } = this.ctx;
    this.progress.waiting = waitingReason(leavesQuota, probeEverySeconds, !this.quotaKnown);
  }

  endQuotaWait(): void {
    delete this.progress.waiting;
  }

  /** False if the latest reading showed no daily quota figure. True before the first reading. */
  get quotaKnown(): boolean {
    return !this.#quotaUnknown;
  }

  /** Stores why something is missing, adds its sentence to the notes and makes the run partial. */
  markIncomplete(reason: StatedReason | null): void {
    if (reason === null) return;
    if (this.why.every((known) => known.reason !== reason.reason)) this.why.push(reason);
    this.#showWhy();
    this.note(reason.reason);
    this.#short = true;
  }

  /** Counts the failed records of a chunk. The reason and the note of the stream then have the new number. */
  noteFailed(stream: string, chunk: number, records: number): void {
    this.markIncomplete(
      countFailed({ why: this.why, notes: this.notes, failed: this.#failed }, stream, chunk, records),
    );
    this.#showWhy();
  }

  #showWhy(): void {
    if (this.why.length > 0) this.progress.why = this.why.map(({ reason }) => reason);
  }

  /**
   * Corrects the coverage when another number of companies was loaded than the searches found. Makes the run partial.
   */
  correctCoverage({ coverage, reason, counted, loaded }: NonNullable<ModelsResult['unloaded']>): void {
    if (this.coverage) this.coverage = { ...this.coverage, ...coverage };
    this.markIncomplete({ code: 'unloaded', values: { counted, loaded }, reason });
  }

  /**
   * Stores a route that the API refuses to this API key. The run continues without the records of that route.
   * @param options.matters false: the run stays complete
   */
  noteRefusal(refusal: Refusal, { matters = true } = {}): void {
    const known = ({ stream, endpoint }: Refusal) => stream === refusal.stream && endpoint === refusal.endpoint;
    if (this.refused.some(known)) return;
    this.refused.push(refusal);
    const { stream, endpoint } = refusal;
    if (matters)
      this.markIncomplete({ code: 'refused', values: { stream, endpoint }, reason: refusalInWords(refusal) });
  }

  /** Returns the refused routes of a stream. The run no longer requests them. */
  refusedRoutes(stream: string): string[] {
    return this.refused.filter((refusal) => refusal.stream === stream).map(({ endpoint }) => endpoint);
  }

  /** Returns true while the run has no gap. */
  get complete(): boolean {
    return !this.#short && (this.coverage?.missing ?? 0) === 0;
  }
}
