import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRun } from '../schemas/pipeline/crawl.js';
import type { Progress, ProgressStep, RunResult, WorkflowType } from '../schemas/pipeline/run.js';
import { isCancelled } from './cancellation.js';
import { describeProgress } from './describe.js';
import { isHistoryLong } from './history-limit.js';
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
import { priorityOf, roomFor, secondsToStandAgain } from './quota-room.js';
import { secondArgument, StopRequested } from './run-errors.js';
import { beginning, RunState } from './run-state.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE, SCHEDULED_TIME } from './search-attributes.js';

const STOPS_WITHIN = '15 seconds';

/**
 * One top-level run and the messages it answers. Workflows are sequences of `step`s; a step that is done is not done
 * again after continue-as-new. What the run knows and decides is in run-state.ts.
 */
export class Run extends RunState {
  /** How often the quota gate let this execution go on, and the wait it is in. */
  #quotaOpened = 0;
  #waiting: Promise<void> | null = null;
  #pausing: Promise<void> | null = null;
  readonly #input: unknown;

  private constructor(input: unknown, carried: CarriedRun) {
    super(carried);
    this.#input = input;
    setHandler(progressQuery, () => this.progress);
    setHandler(coverageQuery, () => this.coverage);
    setHandler(pauseSignal, () => {
      this.pause();
      this.show();
    });
    setHandler(resumeSignal, () => {
      this.resume();
      this.show();
    });
    setHandler(stopSignal, () => {
      if (this.requestStop()) this.enter('stopping');
    });
    setHandler(quotaOpenedSignal, () => {
      this.#quotaOpened++;
    });
    setHandler(setConcurrencySignal, (limit: unknown) => {
      this.setConcurrency(limit);
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
    return new Run(input, beginning(ctx, progress, notes));
  }

  /** Does a step unless an earlier execution of this run did it. */
  async step(name: string, work: (shown: ProgressStep) => Promise<void>): Promise<void> {
    const shown = this.beginStep(name);
    if (shown === null) return;
    this.show();
    await work(shown);
    this.endStep(shown);
    this.show();
  }

  enter(phase: Progress['phase']): void {
    this.progress.phase = phase;
    this.show();
  }

  /** A point where the run may wait for an operator or cut its history; called between chunks. */
  async checkpoint(): Promise<void> {
    await this.unpaused();
    if (isHistoryLong(workflowInfo(), this.ctx)) {
      await continueAsNew<(input: unknown, carried: CarriedRun) => Promise<RunResult>>(this.#input, this.carry());
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
    if (!this.ctx.leavesQuota || !this.quotaKnown) return null;
    for (;;) {
      await this.unpaused();
      const status = await this.orStopped(() => crawl.readQuota(this.ctx));
      this.noteQuota(status);
      const room = roomFor(status, this.ctx);
      if (room > 0) return Number.isFinite(room) ? room : null;
      await this.waitForQuota();
    }
  }

  show(): void {
    setCurrentDetails(describeProgress(this.progress, this.coverage));
  }

  /** Waits until there is room for a run that begins. */
  async requireQuota(): Promise<void> {
    const quota = await this.orStopped(() => crawl.readQuota(this.ctx, true));
    this.noteQuota(quota);
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
      await condition(() => this.stopRequested || this.stopped || state.done);
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
    const mayGoOn = () => this.#quotaOpened > opened || this.stopRequested;
    for (let time = 0, goesOn = false; !goesOn; time++) {
      await quick.enterQuotaGate({ waiter, ...line });
      goesOn = await condition(mayGoOn, secondsToStandAgain(this.ctx.probeEverySeconds, time) * 1_000);
    }
    this.enter(before);
  }

  /** Waits while an operator pauses the run. */
  private async unpaused(): Promise<void> {
    // Chunks beside each other pause together, so that the phase before is told once.
    if (this.paused) {
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
    await condition(() => !this.held);
    this.enter(before);
  }

  private throwIfStopped(): void {
    if (this.obeyStop()) throw new StopRequested();
  }
}
