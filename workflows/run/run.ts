import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRun } from '../../schemas/pipeline/carried.js';
import type { Progress, ProgressStep, RunResult, WorkflowType } from '../../schemas/pipeline/run.js';
import { isTaken, quotaWaitAlert } from './alerts.js';
import { isCancelled } from '../cancellation.js';
import { describeProgress } from './describe.js';
import { EarlyLoad } from './early-load.js';
import { isHistoryLong } from '../history-limit.js';
import {
  coverageQuery,
  enterQuotaGateSignal,
  pauseSignal,
  progressQuery,
  quotaOpenedSignal,
  resumeSignal,
  setConcurrencyUpdate,
  stopSignal,
  tableSignal,
} from '../messages.js';
import { crawl, quick } from '../proxies.js';
import { CRAWL_QUEUE, QUOTA_GATE } from '../queues.js';
import { priorityOf, roomFor, secondsToStandAgain } from '../quota-room.js';
import { ownFolder } from './own-folder.js';
import { invalidInput, secondArgument, StopRequested } from './run-errors.js';
import { beginning, RunState } from './run-state.js';
import { startAlert } from './start-alert.js';
import { roundedCoverage, stateAttributes } from './state-attributes.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE, SCHEDULED_TIME } from '../search-attributes.js';

// Time within which the requests in flight may finish after a stop.
const STOPS_WITHIN = '15 seconds';

// Time that a run may wait for quota, in total, before it sends an alert.
const QUOTA_ALERT_SECONDS = 3_600;

/**
 * One top-level run, and the signals and queries that it handles. A workflow is a sequence of `step`s. After
 * continue-as-new, finished steps are skipped. run-state.ts holds the state and the decisions.
 *
 * Phases (`progress.phase`) and transitions:
 * - opening → crawling → loading → modelling → publishing → done
 * - opening or crawling → waiting-for-quota (the daily limit is reached) → the phase before (the quota gate signals)
 * - any phase before loading → paused (`pause`) → the phase before (`resume`)
 * - any phase before the crawl's end → stopping (`stop`) → loading
 * - crawling → done: `retryRejects` or `enrichOwners` found nothing to do
 */
export class Run extends RunState {
  /** How often the quota gate released this execution. */
  #quotaOpened = 0;
  /** The current wait at the quota gate, and the current pause. Chunks fetched at the same time share them. */
  #waiting: Promise<void> | null = null;
  #pausing: Promise<void> | null = null;
  readonly #input: unknown;
  readonly #early = new EarlyLoad();
  /** Search attributes that this execution has set, by name. */
  readonly #attributes = new Map<string, unknown>();

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
    setHandler(tableSignal, (sent) => {
      this.noteTable(sent);
      this.show();
    });
    const validator = (limit: unknown): void => {
      const fault = this.concurrencyFault(limit);
      if (fault !== null) throw invalidInput(fault);
    };
    const setConcurrency = (limit: number): number | null => {
      this.setConcurrency(limit);
      this.show();
      return this.concurrency;
    };
    setHandler(setConcurrencyUpdate, setConcurrency, { validator });
  }

  /** Opens a new run, or continues a run after continue-as-new. */
  static async open(workflowType: WorkflowType, input: unknown, carried: CarriedRun | undefined): Promise<Run> {
    if (carried) {
      // Only Temporal's server passes `carried`. Reject a start with a second argument, because it would bypass the
      // input checks.
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
    // Answer queries at once, even before openRun has returned the date.
    setHandler(progressQuery, () => progress);
    setHandler(coverageQuery, () => null);
    const info = workflowInfo();
    const scheduled = info.typedSearchAttributes.get(SCHEDULED_TIME);
    const opening = {
      workflowType,
      workflowId: info.workflowId,
      run: info.firstExecutionRunId,
      input,
      ...(scheduled ? { scheduledTime: scheduled.toISOString() } : {}),
      ...ownFolder(),
    };
    const ctx = await quick.openRun.executeWithOptions({ summary: 'check the input, open the run' }, [opening]);
    upsertSearchAttributes([
      { key: DATE_ATTRIBUTE, value: ctx.date },
      ...(ctx.market === null ? [] : [{ key: MARKET_ATTRIBUTE, value: ctx.market }]),
    ]);
    const { date, market, startedAt, fileHash, folder } = ctx;
    Object.assign(progress, { date, market, startedAt, fileHash, folder });
    if (ctx.note !== null) notes.push(ctx.note);
    return new Run(input, beginning(ctx, progress, notes));
  }

  /** Runs a step, unless an earlier execution of this run has finished it. */
  async step(name: string, work: (shown: ProgressStep) => Promise<void>): Promise<void> {
    const shown = this.beginStep(name);
    if (shown === null) return;
    this.show();
    await work(shown);
    this.endStep(shown);
    this.show();
  }

  enter(phase: Progress['phase']): void {
    this.tick(Date.now());
    this.progress.phase = phase;
    delete this.progress.table;
    this.show();
  }

  /**
   * Lets the run pause, stop or continue as new. Called before each chunk, listing and search round.
   * @throws StopRequested when an operator stopped the run
   */
  async checkpoint(): Promise<void> {
    await this.unpaused();
    if (isHistoryLong(workflowInfo(), this.ctx)) {
      await this.#early.ended();
      await continueAsNew<(input: unknown, carried: CarriedRun) => Promise<RunResult>>(this.#input, this.carry());
    }
  }

  /** Counts the rows that a finished activity landed. */
  override countLanded(rows: number): void {
    super.countLanded(rows);
    this.#early.count(rows);
  }

  /** Starts to load what was landed if at least `least` rows wait for it. The run goes on meanwhile. */
  loadEarly(least: number): void {
    this.#early.start(this.ctx, least, (loaded) => this.noteLoaded(loaded));
  }

  /** Call it after an activity has loaded all landed rows. */
  noRowsWait(): void {
    this.#early.noneWait();
  }

  /** Waits for the load that is in progress beside the crawl. */
  async earlyLoadEnded(): Promise<void> {
    await this.#early.ended();
  }

  /** Whether the run must wait for the chunks in progress before it starts others. */
  get mustDrain(): boolean {
    return this.paused || this.stopRequested || this.stopped || isHistoryLong(workflowInfo(), this.ctx);
  }

  /**
   * Waits at the quota gate until the gate signals that quota is left. All runs of the API key share the gate. If an
   * operator has paused the run, then also waits for the end of the pause.
   * @throws StopRequested when an operator stopped the run
   */
  async waitForQuota(): Promise<void> {
    this.throwIfStopped();
    // Chunks fetched at the same time reach the limit together, but the run enters the gate only once.
    this.#waiting ??= this.standInLine().finally(() => {
      this.#waiting = null;
    });
    await this.#waiting;
    await this.unpaused();
  }

  /**
   * Returns how many requests a run may send before it must read the quota again; null: no limit. Only a run that
   * leaves part of the quota to other runs has a limit. Waits while no quota is left.
   * @throws StopRequested when an operator stopped the run
   */
  async quotaBudget(): Promise<number | null> {
    if (!this.ctx.leavesQuota || !this.quotaKnown) return null;
    for (;;) {
      await this.unpaused();
      const status = await this.orStopped(() =>
        crawl.readQuota.executeWithOptions({ summary: 'is quota left?' }, [this.ctx]),
      );
      this.noteQuota(status);
      const room = roomFor(status, this.ctx);
      if (room > 0) return Number.isFinite(room) ? room : null;
      await this.waitForQuota();
    }
  }

  /** Shows the run's end in the Temporal UI. A failed or cancelled run keeps its phase. */
  end(outcome: NonNullable<Progress['outcome']>): void {
    this.progress.outcome = outcome;
    this.endQuotaWait();
    if (outcome === 'failed' || outcome === 'cancelled') this.show();
    else this.enter('done');
  }

  /** Shows the run's state in the Temporal UI: as current details and as search attributes. */
  show(): void {
    const now = Date.now();
    this.tick(now);
    setCurrentDetails(describeProgress(this.progress, this.coverage, now));
    const changed = stateAttributes(this.progress, this.coverage, this.ctx.stateAttributes).filter(
      ({ key, value }) => this.#attributes.get(key.name) !== value,
    );
    if (changed.length === 0) return;
    for (const { key, value } of changed) this.#attributes.set(key.name, value);
    upsertSearchAttributes(changed.map(roundedCoverage));
  }

  /** Reads the quota at the run's start and waits until quota is left. */
  async requireQuota(): Promise<void> {
    const quota = await this.orStopped(() =>
      crawl.readQuota.executeWithOptions({ summary: 'is quota left?' }, [this.ctx, true]),
    );
    this.noteQuota(quota);
    this.noteClock(quota);
    if (roomFor(quota, this.ctx) === 0) await this.waitForQuota();
  }

  /**
   * Runs work that may be retried for a long time. After a stop, the work may continue for 15 seconds; then it is
   * cancelled. Everything that was landed is kept.
   * @throws StopRequested when the work was cancelled by a stop
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
    // If the run is cancelled, `work` throws the same error. So ignore it here.
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
    this.beginQuotaWait();
    this.enter('waiting-for-quota');
    const opened = this.#quotaOpened;
    const waiter = { ctx: this.ctx, priority: priorityOf(this.ctx) };
    const line = { workflowType: QUOTA_GATE, taskQueue: CRAWL_QUEUE, signal: enterQuotaGateSignal.name };
    const since = Date.now();
    const watch = this.watchWait();
    const mayGoOn = () => this.#quotaOpened > opened || this.stopRequested;
    for (let time = 0, goesOn = false; !goesOn; time++) {
      await quick.enterQuotaGate.executeWithOptions({ summary: 'wait at the quota gate' }, [{ waiter, ...line }]);
      goesOn = await condition(mayGoOn, secondsToStandAgain(this.ctx.probeEverySeconds, time) * 1_000, {
        summary: 'wait for the daily quota',
      });
    }
    watch?.cancel();
    this.waitedMs += Date.now() - since;
    this.endQuotaWait();
    this.enter(before);
  }

  /**
   * Starts a timer that sends an alert when this run waits for quota longer than an hour in total.
   * @returns a scope to cancel when the wait ends; null when no target takes the alert, or it was sent
   */
  private watchWait(): CancellationScope | null {
    if (!isTaken(this.ctx, 'quota') || this.waitAlerted) return null;
    const scope = new CancellationScope();
    const wait = async (): Promise<void> => {
      await sleep(Math.max(1, QUOTA_ALERT_SECONDS * 1_000 - this.waitedMs), {
        summary: 'until an alert about the wait',
      });
      this.waitAlerted = true;
      const waited = Math.max(QUOTA_ALERT_SECONDS, this.waitedMs / 1_000);
      await startAlert(quotaWaitAlert(this.ctx, this.progress, waited, new Date()));
    };
    // Ends with an error when the wait ends first.
    void scope.run(wait).catch(() => undefined);
    return scope;
  }

  /**
   * Waits while an operator pauses the run.
   * @throws StopRequested when an operator stopped the run
   */
  private async unpaused(): Promise<void> {
    // Chunks fetched at the same time share one pause. Otherwise the second chunk would store "paused" as the phase to
    // return to.
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
