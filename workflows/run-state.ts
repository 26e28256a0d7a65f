import type { CarriedRun, ChunkRound, DiscoverResult, ModelsResult, QuotaStatus } from '../schemas/pipeline/crawl.js';
import type { CrawlOutcome } from '../schemas/pipeline/landing.js';
import type { DueSummary, Progress, ProgressStep, Refusal, RunContext } from '../schemas/pipeline/run.js';
import { refusalInWords } from './describe.js';
import { hasNoFigure } from './quota-room.js';

// As in the configuration (`api.maxConcurrency`).
const MOST_IN_FLIGHT = 512;

/** All of `CarriedRun`. A field that is optional there must be given here, so that none is forgotten. */
type WholeRun = Required<Omit<CarriedRun, 'landed'>> & Pick<CarriedRun, 'landed'>;

/** What a run that begins has done: nothing. */
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
 * What a run knows, and the decisions that follow from it. It uses nothing of Temporal, so tests need no server.
 * `carry` gives what the next execution of the run needs; fields that end with the execution say so.
 */
export class RunState {
  readonly ctx: RunContext;
  readonly notes: string[];
  /** What was due of each stream so far. */
  readonly due: DueSummary[];
  /** What the API refuses to the key; it is not asked for again in this run. */
  readonly refused: Refusal[];
  coverage: DiscoverResult['coverage'];
  concurrency: number | null;
  nextChunk: number;
  again: ChunkRound | null;
  readonly progress: Progress;
  /** Whether an operator stopped it before it was done. */
  stopped: boolean;
  readonly #completed: string[];
  #paused: boolean;
  #short: boolean;
  #quotaUnknown: boolean;
  #clockNoted: boolean;
  /** Responses its activities said they landed; null where an older version began the run and did not count. */
  #landed: number | null;

  // These end with the execution: no checkpoint follows once one of them is set.
  /** Set when it found nothing to do: then nothing is loaded or published. */
  idle = false;
  /** What was filed when its crawl ended. */
  closed: { crawled: CrawlOutcome; heldBack: string | null } | null = null;
  #stopRequested = false;
  #stoppable = true;

  constructor(carried: CarriedRun) {
    this.ctx = carried.ctx;
    this.notes = carried.notes;
    // Older versions did not carry all of these.
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
    // One array: a note that is added later must show in the progress, too.
    this.progress = { ...carried.progress, notes: carried.notes };
    this.#completed = carried.completed;
    this.#paused = carried.paused;
    this.#short = carried.short;
  }

  /** What the next execution of the run goes on with. */
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

  // ---- what an operator asks for ----

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Whether it waits for an operator: it is paused, and nobody stopped it since. */
  get held(): boolean {
    return this.#paused && !this.#stopRequested;
  }

  /** Asks it to stop; false when its crawl has ended, so that a stop would spare nothing. */
  requestStop(): boolean {
    this.#stopRequested ||= this.#stoppable;
    return this.#stoppable;
  }

  /** Whether a stop waits to be obeyed. */
  get stopRequested(): boolean {
    return this.#stopRequested;
  }

  /** Obeys a stop, if there was one: true when the run must not go on with its work. */
  obeyStop(): boolean {
    if (!this.#stoppable || !(this.#stopRequested || this.stopped)) return false;
    // No pause any more: what comes after the stop is to be done. A chunk beside the one that met it ends by it as well.
    this.#stopRequested = this.#paused = false;
    this.stopped = true;
    return true;
  }

  /** From here on there is nothing left that a stop could spare. */
  endCrawl(): void {
    this.#stoppable = false;
  }

  /** Sets the requests in flight of one chunk; 0 returns to the configured number. A wrong number becomes a note. */
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

  // ---- its steps ----

  /** Begins a step, or goes on with it; null when it is done. */
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

  /** Counts what an activity that is done has landed. */
  countLanded(rows: number): void {
    if (this.#landed !== null) this.#landed += rows;
  }

  /** What the landing zone must hold of the run at least; left out where that was not counted. */
  get landed(): { landed?: number } {
    return this.#landed === null ? {} : { landed: this.#landed };
  }

  // ---- what fell short ----

  /** Says something an operator should know; the run is no less complete for it. */
  note(text: string | null): void {
    if (text !== null && !this.notes.includes(text)) this.notes.push(text);
  }

  /** Says that this machine's clock is off; once, though every reading words it by the instant. */
  noteClock({ clock }: QuotaStatus): void {
    if (!this.#clockNoted) this.note(clock ?? null);
    this.#clockNoted ||= Boolean(clock);
  }

  /** Notes whether the API gives a figure of the daily quota, and why it could not be read. */
  noteQuota(status: QuotaStatus): void {
    this.#quotaUnknown = hasNoFigure(status);
    this.note(status.fault ?? null);
  }

  /** Whether the API gives a figure of the daily quota, as far as was asked. */
  get quotaKnown(): boolean {
    return !this.#quotaUnknown;
  }

  /** Names what was not reached: the run is partial. */
  fallShort(text: string | null): void {
    if (text === null) return;
    this.note(text);
    this.#short = true;
  }

  /** Says that the warehouse holds other companies than the searches counted. */
  correctCoverage({ coverage, reason }: NonNullable<ModelsResult['unloaded']>): void {
    if (this.coverage) this.coverage = { ...this.coverage, ...coverage };
    this.fallShort(`After loading, ${reason}.`);
  }

  /** Names a route that the API refuses to the key: the run goes on without what only that route tells. */
  noteRefusal(refusal: Refusal, { matters = true } = {}): void {
    const known = ({ stream, endpoint }: Refusal) => stream === refusal.stream && endpoint === refusal.endpoint;
    if (this.refused.some(known)) return;
    this.refused.push(refusal);
    if (matters) this.fallShort(refusalInWords(refusal));
  }

  /** Routes of a stream that are not asked any more. */
  refusedRoutes(stream: string): string[] {
    return this.refused.filter((refusal) => refusal.stream === stream).map(({ endpoint }) => endpoint);
  }

  /** True while nothing fell short. */
  get complete(): boolean {
    return !this.#short && (this.coverage?.missing ?? 0) === 0;
  }
}
