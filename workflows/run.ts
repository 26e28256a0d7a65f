import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRun, DiscoverResult, ModelsResult, QuotaStatus } from '../schemas/pipeline/crawl.js';
import type { CrawlOutcome } from '../schemas/pipeline/landing.js';
import type {
  DueSummary,
  Progress,
  ProgressStep,
  Refusal,
  RunContext,
  RunResult,
  WorkflowType,
} from '../schemas/pipeline/run.js';
import { isCancelled } from './cancellation.js';
import { describeProgress, refusalInWords } from './describe.js';
import {
  coverageQuery,
  enterQuotaGateSignal,
  pauseSignal,
  progressQuery,
  quotaOpenedSignal,
  resumeSignal,
  setConcurrencySignal,
  stopSignal,
} from './messages.js';
import { crawl, quick } from './proxies.js';
import { CRAWL_QUEUE, QUOTA_GATE } from './queues.js';
import { hasNoFigure, priorityOf, roomFor, secondsToStandAgain } from './quota-room.js';
import { secondArgument, StopRequested } from './run-errors.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE, SCHEDULED_TIME } from './search-attributes.js';

// A run is cut well before the server's warning at 10,240 events (DESIGN.md, "Temporal, as we use it").
const MAX_EVENTS = 2_000;
const STOPS_WITHIN = '15 seconds';
// As in the configuration (`api.maxConcurrency`).
const MOST_IN_FLIGHT = 512;

/**
 * One top-level run: its context, what it has done, and the messages it answers. Workflows are sequences of `step`s;
 * a step that is done is not done again after continue-as-new.
 */
export class Run {
  readonly ctx: RunContext;
  readonly notes: string[];
  /** What was due of each stream so far. */
  readonly due: DueSummary[];
  /** What the API refuses to the key; it is not asked for again in this run. */
  readonly refused: Refusal[];
  coverage: DiscoverResult['coverage'];
  concurrency: number | null;
  nextChunk: number;
  readonly progress: Progress;
  /** Responses its activities said they landed; null where an older version began the run and did not count. */
  #landed: number | null;
  /** Set when it found nothing to do: then nothing is loaded or published. */
  idle = false;
  /** Whether an operator stopped it before it was done. */
  stopped = false;
  /** What was filed when its crawl ended. */
  closed: { crawled: CrawlOutcome; heldBack: string | null } | null = null;
  readonly #completed: string[];
  readonly #input: unknown;
  #paused: boolean;
  #short: boolean;
  /** How often the quota gate let this execution go on, and the wait it is in. */
  #quotaOpened = 0;
  #waiting: Promise<void> | null = null;
  #pausing: Promise<void> | null = null;
  #quotaUnknown = false;
  #clockNoted: boolean;
  #stopRequested = false;
  #stoppable = true;

  private constructor(input: unknown, carried: CarriedRun) {
    this.#input = input;
    this.#paused = carried.paused;
    this.concurrency = carried.concurrency;
    this.ctx = carried.ctx;
    this.notes = carried.notes;
    // Missing in what an older version carried over.
    this.due = carried.due ?? [];
    this.refused = carried.refused ?? [];
    this.coverage = carried.coverage;
    this.#short = carried.short;
    this.#clockNoted = carried.clockNoted ?? false;
    this.stopped = carried.stopped ?? false;
    this.#landed = carried.landed ?? null;
    this.nextChunk = carried.nextChunk;
    // One array: a note that is added later must show in the progress, too.
    this.progress = { ...carried.progress, notes: carried.notes };
    this.#completed = carried.completed;
    setHandler(progressQuery, () => this.progress);
    setHandler(coverageQuery, () => this.coverage);
    setHandler(pauseSignal, () => {
      this.#paused = true;
      this.show();
    });
    setHandler(resumeSignal, () => {
      this.#paused = false;
      this.show();
    });
    setHandler(stopSignal, () => {
      if (!this.#stoppable) return;
      this.#stopRequested = true;
      this.enter('stopping');
    });
    setHandler(quotaOpenedSignal, () => {
      this.#quotaOpened++;
    });
    setHandler(setConcurrencySignal, (limit: unknown) => {
      if (Number.isInteger(limit) && 0 <= (limit as number) && (limit as number) <= MOST_IN_FLIGHT) {
        const most = this.ctx.maxConcurrency ?? MOST_IN_FLIGHT;
        this.concurrency = Math.min(limit as number, most) || null;
        if ((limit as number) > most)
          this.note(`setConcurrency: ${String(limit)} at once were asked for; api.maxConcurrency allows ${most}.`);
      } else {
        this.note(`setConcurrency takes a whole number from 0 to ${MOST_IN_FLIGHT}; another one was left aside.`);
      }
      this.show();
    });
  }

  /** Opens the run, or goes on with one carried over continue-as-new. */
  static async open(workflowType: WorkflowType, input: unknown, carried: CarriedRun | undefined): Promise<Run> {
    if (carried) {
      // Only the server can say that; a start with a second argument would bring a run that nothing has checked.
      if (workflowInfo().continuedFromExecutionRunId === undefined) throw secondArgument();
      return new Run(input, carried);
    }
    const notes: string[] = [];
    const progress: Progress = {
      phase: 'opening',
      date: null,
      market: null,
      steps: [],
      requests: 0,
      startedAt: null,
      notes,
    };
    // A run answers from its first moment, not only once it knows its date.
    setHandler(progressQuery, () => progress);
    setHandler(coverageQuery, () => null);
    const info = workflowInfo();
    const scheduled = info.typedSearchAttributes.get(SCHEDULED_TIME);
    const ctx = await quick.openRun({
      workflowType,
      workflowId: info.workflowId,
      run: info.firstExecutionRunId,
      input,
      ...(scheduled ? { scheduledTime: scheduled.toISOString() } : {}),
    });
    upsertSearchAttributes([
      { key: DATE_ATTRIBUTE, value: ctx.date },
      ...(ctx.market === null ? [] : [{ key: MARKET_ATTRIBUTE, value: ctx.market }]),
    ]);
    Object.assign(progress, { date: ctx.date, market: ctx.market, startedAt: ctx.startedAt });
    if (ctx.folder) progress.folder = ctx.folder;
    if (ctx.note !== null) notes.push(ctx.note);
    return new Run(input, {
      ctx,
      paused: false,
      concurrency: null,
      completed: [],
      nextChunk: 0,
      progress,
      coverage: null,
      short: false,
      landed: 0,
      due: [],
      notes,
    });
  }

  /** Does a step unless an earlier execution of this run did it. */
  async step(name: string, work: (shown: ProgressStep) => Promise<void>): Promise<void> {
    if (this.#completed.includes(name)) return;
    let shown = this.progress.steps.find((step) => step.name === name);
    if (!shown) {
      shown = { name, done: 0, total: null, state: 'running' };
      this.progress.steps.push(shown);
    }
    this.show();
    await work(shown);
    shown.state = 'done';
    this.nextChunk = 0;
    this.#completed.push(name);
    this.show();
  }

  /** Counts what an activity that is done has landed. */
  countLanded(rows: number): void {
    if (this.#landed !== null) this.#landed += rows;
  }

  /** What the landing zone must hold of the run at least; left out where that was not counted. */
  get landed(): { landed?: number } {
    return this.#landed === null ? {} : { landed: this.#landed };
  }

  enter(phase: Progress['phase']): void {
    this.progress.phase = phase;
    this.show();
  }

  /** A point where the run may wait for an operator or cut its history; called between chunks. */
  async checkpoint(): Promise<void> {
    await this.unpaused();
    const info = workflowInfo();
    if (info.continueAsNewSuggested || info.historyLength > MAX_EVENTS) {
      await continueAsNew<(input: unknown, carried: CarriedRun) => Promise<RunResult>>(this.#input, {
        ctx: this.ctx,
        paused: this.#paused,
        concurrency: this.concurrency,
        completed: this.#completed,
        nextChunk: this.nextChunk,
        progress: this.progress,
        coverage: this.coverage,
        short: this.#short,
        clockNoted: this.#clockNoted,
        stopped: this.stopped,
        ...(this.#landed === null ? {} : { landed: this.#landed }),
        due: this.due,
        refused: this.refused,
        notes: this.notes,
      });
    }
  }

  /**
   * After the daily limit: waits at the gate that all runs of the API key share, until it says that there is room, and
   * then for an operator who paused the run meanwhile.
   */
  async waitForQuota(): Promise<void> {
    this.throwIfStopped();
    // Chunks beside each other reach the limit together; the run stands in line once.
    this.#waiting ??= this.standInLine().finally(() => {
      this.#waiting = null;
    });
    await this.#waiting;
    await this.unpaused();
  }

  /**
   * Requests the run may send before it asks again: for a run that leaves part of the quota to others, what is left
   * beyond that. Waits while that is nothing. Null: any number.
   */
  async quotaBudget(): Promise<number | null> {
    if (!this.ctx.leavesQuota || this.#quotaUnknown) return null;
    for (;;) {
      await this.unpaused();
      const status = await this.orStopped(() => crawl.readQuota(this.ctx));
      this.#quotaUnknown = hasNoFigure(status);
      this.note(status.fault ?? null);
      const room = roomFor(status, this.ctx);
      if (room > 0) return Number.isFinite(room) ? room : null;
      await this.waitForQuota();
    }
  }

  /** Whether the API gives a figure of the daily quota, as far as was asked. */
  get quotaKnown(): boolean {
    return !this.#quotaUnknown;
  }

  /** Says something an operator should know; the run is no less complete for it. */
  note(text: string | null): void {
    if (text !== null && !this.notes.includes(text)) this.notes.push(text);
  }

  /** Says that this machine's clock is off; once, though every reading words it by the instant. */
  noteClock({ clock }: QuotaStatus): void {
    if (!this.#clockNoted) this.note(clock ?? null);
    this.#clockNoted ||= Boolean(clock);
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

  show(): void {
    setCurrentDetails(describeProgress(this.progress, this.coverage));
  }

  /** Waits until there is room for a run that begins. */
  async requireQuota(): Promise<void> {
    const quota = await this.orStopped(() => crawl.readQuota(this.ctx, true));
    this.#quotaUnknown = hasNoFigure(quota);
    this.note(quota.fault ?? null);
    this.noteClock(quota);
    if (roomFor(quota, this.ctx) === 0) await this.waitForQuota();
  }

  /**
   * Does what may be tried for long. After a stop it has a while to end; then it is given up, and what it has landed by
   * then is kept.
   */
  async orStopped<T>(work: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    const state = { done: false, givenUp: false };
    const watch = async (): Promise<void> => {
      await condition(() => this.#stopRequested || this.stopped || state.done);
      if (state.done || (await condition(() => state.done, STOPS_WITHIN))) return;
      state.givenUp = true;
      scope.cancel();
    };
    // The run's own cancellation reaches the work, which tells of it.
    void watch().catch(() => undefined);
    try {
      return await scope.run(work);
    } catch (error) {
      if (!state.givenUp || !isCancelled(error)) throw error;
      this.throwIfStopped();
      throw new StopRequested();
    } finally {
      state.done = true;
    }
  }

  private async standInLine(): Promise<void> {
    const before = this.progress.phase;
    this.enter('waiting-for-quota');
    const opened = this.#quotaOpened;
    const waiter = { ctx: this.ctx, priority: priorityOf(this.ctx) };
    const line = { workflowType: QUOTA_GATE, taskQueue: CRAWL_QUEUE, signal: enterQuotaGateSignal.name };
    const mayGoOn = () => this.#quotaOpened > opened || this.#stopRequested;
    for (let time = 0, goesOn = false; !goesOn; time++) {
      await quick.enterQuotaGate({ waiter, ...line });
      goesOn = await condition(mayGoOn, secondsToStandAgain(this.ctx.probeEverySeconds, time) * 1_000);
    }
    this.enter(before);
  }

  /** Waits while an operator pauses the run. */
  private async unpaused(): Promise<void> {
    // Chunks beside each other pause together, so that the phase before is told once.
    if (this.#paused) {
      this.#pausing ??= this.standPaused().finally(() => {
        this.#pausing = null;
      });
      await this.#pausing;
    }
    this.throwIfStopped();
  }

  private async standPaused(): Promise<void> {
    const before = this.progress.phase;
    this.enter('paused');
    await condition(() => !this.#paused || this.#stopRequested);
    this.enter(before);
  }

  /** From here on there is nothing left that a stop could spare. */
  endCrawl(): void {
    this.#stoppable = false;
  }

  private throwIfStopped(): void {
    if (!this.#stoppable || !(this.#stopRequested || this.stopped)) return;
    // No pause any more: what comes after the stop is to be done. A chunk beside the one that met it ends by it as well.
    this.#stopRequested = this.#paused = false;
    this.stopped = true;
    throw new StopRequested();
  }
}
