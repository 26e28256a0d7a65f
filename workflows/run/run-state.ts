import type { DiscoverResult, ModelsResult, QuotaStatus } from '../../schemas/pipeline/activities.js';
import type { CarriedRun, ChunkRound } from '../../schemas/pipeline/carried.js';
import type { CrawlOutcome } from '../../schemas/pipeline/landing.js';
import type { DueSummary } from '../../schemas/pipeline/due.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { Progress, ProgressStep, RunContext } from '../../schemas/pipeline/run.js';
import { refusalInWords } from './describe.js';
import { hasNoFigure } from '../quota-room.js';

// Upper limit for requests in flight; the configuration allows the same for `api.maxConcurrency`.
const MOST_IN_FLIGHT = 512;

/** Makes the optional fields of `CarriedRun` required, so that `carry` forgets none. */
type WholeRun = Required<Omit<CarriedRun, 'landed'>> & Pick<CarriedRun, 'landed'>;

/** Returns the state of a run that has done nothing yet. */
export function beginning(ctx: RunContext, progress: Progress, notes: string[]): WholeRun {
  return {
    ctx,
    paused: false,
    concurrency: null,
    completed: [],
    nextChunk: 0,
    again: null,
    progress,
    coverage: null,
    short: false,
    quotaUnknown: false,
    clockNoted: false,
    stopped: false,
    landed: 0,
    due: [],
    refused: [],
    notes,
  };
}

/**
 * A run's state and the decisions that follow from it. Uses nothing of Temporal, so tests need no server. `carry`
 * returns the fields that the next execution needs; the other fields end with this execution.
 *
 * Operator requests:
 * - running → paused: `pause`. paused → running: `resume`.
 * - running or paused → stop requested: `requestStop`, until `endCrawl`; a later stop has no effect.
 * - stop requested → stopped: `obeyStop` at the next checkpoint. Only loading and publishing follow.
 */
export class RunState {
  readonly ctx: RunContext;
  readonly notes: string[];
  /** How many entities were due, for each stream planned so far. */
  readonly due: DueSummary[];
  /** Routes that the API refuses to the key; this run does not request them again. */
  readonly refused: Refusal[];
  coverage: DiscoverResult['coverage'];
  concurrency: number | null;
  nextChunk: number;
  again: ChunkRound | null;
  readonly progress: Progress;
  /** Whether an operator stopped the run before its crawl ended. */
  stopped: boolean;
  readonly #completed: string[];
  #paused: boolean;
  #short: boolean;
  #quotaUnknown: boolean;
  #clockNoted: boolean;
  /** Responses that the activities landed. Null if an older version began the run and did not count them. */
  #landed: number | null;

  // The fields from here on are not carried over. Once one of them is set, the run no longer continues as new.
  /** Nothing was due, so the run loads and publishes nothing. */
  idle = false;
  /** Outcome recorded when the crawl ended; null before. */
  closed: { crawled: CrawlOutcome; heldBack: string | null } | null = null;
  #stopRequested = false;
  #stoppable = true;

  constructor(carried: CarriedRun) {
    this.ctx = carried.ctx;
    this.notes = carried.notes;
    // Older versions did not carry all of these fields.
    this.due = carried.due ?? [];
    this.refused = carried.refused ?? [];
    this.again = carried.again ?? null;
    this.stopped = carried.stopped ?? false;
    this.#quotaUnknown = carried.quotaUnknown ?? false;
    this.#clockNoted = carried.clockNoted ?? false;
    this.#landed = carried.landed ?? null;
    this.coverage = carried.coverage;
    this.concurrency = carried.concurrency;
    this.nextChunk = carried.nextChunk;
    // Share one array of notes with the progress, so that the progress shows later notes, too.
    this.progress = { ...carried.progress, notes: carried.notes };
    this.#completed = carried.completed;
    this.#paused = carried.paused;
    this.#short = carried.short;
  }

  /** Returns the state with which the next execution continues. */
  carry(): WholeRun {
    return {
      ctx: this.ctx,
      paused: this.#paused,
      concurrency: this.concurrency,
      completed: this.#completed,
      nextChunk: this.nextChunk,
      again: this.again,
      progress: this.progress,
      coverage: this.coverage,
      short: this.#short,
      quotaUnknown: this.#quotaUnknown,
      clockNoted: this.#clockNoted,
      stopped: this.stopped,
      ...this.landed,
      due: this.due,
      refused: this.refused,
      notes: this.notes,
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

  /** Whether the run waits for an operator: paused, and not stopped since then. */
  get held(): boolean {
    return this.#paused && !this.#stopRequested;
  }

  /** Requests a stop. Returns false after the crawl's end, when a stop would save nothing. */
  requestStop(): boolean {
    this.#stopRequested ||= this.#stoppable;
    return this.#stoppable;
  }

  /** Whether a stop was requested and the run has not obeyed it yet. */
  get stopRequested(): boolean {
    return this.#stopRequested;
  }

  /** Obeys a requested stop. Returns true when the run must not continue its crawl. */
  obeyStop(): boolean {
    if (!this.#stoppable || !(this.#stopRequested || this.stopped)) return false;
    // End the pause, too, so that loading and publishing run. `stopped` stays true, so that parallel chunks also stop.
    this.#stopRequested = this.#paused = false;
    this.stopped = true;
    return true;
  }

  /** Ends the crawl; from now on a stop has no effect. */
  endCrawl(): void {
    this.#stoppable = false;
  }

  /** Sets the requests in flight. 0 returns to the configured number. An invalid number becomes a note. */
  setConcurrency(limit: unknown): void {
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0 || limit > MOST_IN_FLIGHT) {
      this.note(`setConcurrency takes a whole number from 0 to ${MOST_IN_FLIGHT}; the run ignored another value.`);
      return;
    }
    const most = this.ctx.maxConcurrency ?? MOST_IN_FLIGHT;
    this.concurrency = Math.min(limit, most) || null;
    if (limit > most)
      this.note(`setConcurrency asked for ${String(limit)} requests in flight; api.maxConcurrency allows ${most}.`);
  }

  // ---- steps ----

  /** Begins or continues a step; returns null when the step is done. */
  beginStep(name: string): ProgressStep | null {
    if (this.#completed.includes(name)) return null;
    const known = this.progress.steps.find((step) => step.name === name);
    if (known) return known;
    const shown: ProgressStep = { name, done: 0, total: null, state: 'running' };
    this.progress.steps.push(shown);
    return shown;
  }

  endStep(shown: ProgressStep): void {
    shown.state = 'done';
    this.nextChunk = 0;
    this.again = null;
    this.#completed.push(shown.name);
  }

  /** Counts the rows that a finished activity landed. */
  countLanded(rows: number): void {
    if (this.#landed !== null) this.#landed += rows;
  }

  /**
   * Smallest number of rows of this run that the landing zone must hold. Empty if an older version began the run and
   * did not count them.
   */
  get landed(): { landed?: number } {
    return this.#landed === null ? {} : { landed: this.#landed };
  }

  // ---- gaps and notes ----

  /** Adds a note for the operator; the run stays complete. Ignores null and repeated notes. */
  note(text: string | null): void {
    if (text !== null && !this.notes.includes(text)) this.notes.push(text);
  }

  /** Adds a note that this machine's clock is off. Adds it only once, since the text differs with each reading. */
  noteClock({ clock }: QuotaStatus): void {
    if (!this.#clockNoted) this.note(clock ?? null);
    this.#clockNoted ||= Boolean(clock);
  }

  /** Stores whether the API gives a daily quota figure, and notes a failed reading. */
  noteQuota(status: QuotaStatus): void {
    this.#quotaUnknown = hasNoFigure(status);
    this.note(status.fault ?? null);
  }

  /** False if the latest reading returned no daily quota figure; true before the first reading. */
  get quotaKnown(): boolean {
    return !this.#quotaUnknown;
  }

  /** Adds a note about a gap and makes the run partial. */
  markIncomplete(text: string | null): void {
    if (text === null) return;
    this.note(text);
    this.#short = true;
  }

  /**
   * Corrects the coverage if the number of loaded companies differs from the number that the searches found. Makes the
   * run partial.
   */
  correctCoverage({ coverage, reason }: NonNullable<ModelsResult['unloaded']>): void {
    if (this.coverage) this.coverage = { ...this.coverage, ...coverage };
    this.markIncomplete(`After loading, ${reason}.`);
  }

  /**
   * Stores a route that the API refuses to the key; the run continues without that route's records.
   * @param options.matters false: the run stays complete
   */
  noteRefusal(refusal: Refusal, { matters = true } = {}): void {
    const known = ({ stream, endpoint }: Refusal) => stream === refusal.stream && endpoint === refusal.endpoint;
    if (this.refused.some(known)) return;
    this.refused.push(refusal);
    if (matters) this.markIncomplete(refusalInWords(refusal));
  }

  /** Returns the refused routes of a stream. The run no longer requests them. */
  refusedRoutes(stream: string): string[] {
    return this.refused.filter((refusal) => refusal.stream === stream).map(({ endpoint }) => endpoint);
  }

  /** True while the run has no gap. */
  get complete(): boolean {
    return !this.#short && (this.coverage?.missing ?? 0) === 0;
  }
}
