import { statSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { Config } from '../../config/config.js';
import type { RefusedInput } from '../../temporal/refused-inputs.js';
import type { OpenGate } from '../../temporal/runs/quota-gates.js';
import type { ScheduleRow } from '../schedule/schedule-list.js';
import type { Progress } from '../../../schemas/pipeline/run.js';
import { errorMessage } from '../../base/errors.js';
import { visibleLine } from '../../base/text/visible-text.js';
import { formatBytes, formatCount, formatDuration, formatInstant } from '../../../schemas/format.js';
import type { CopyRecord } from '../../warehouse/builds/copy-published.js';
import type { DeliveryRecord } from '../../serve/alerts/records.js';
import { renderLine, warningsOf } from '../terminal/frame.js';
import { advance, type Retry } from '../../temporal/runs/run-state.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { endedRuns, type EndedRun } from './ended-runs.js';
import { describeLastRun, readLastRuns, type LastRun } from '../last-published-runs.js';
import { describeOlder, shownBuild, type ShownBuild } from './shown-build.js';
import { describeSchedules, describeVersions } from './mismatches.js';
import { describeGate, workLeft, type WorkLeft } from './waits.js';
import { otherFolder, workerWarnings } from './other-folder.js';
import { colorsFor, say, sayJson } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import { daysBefore, utcDay } from '../../base/time/time.js';

interface RunningRun {
  workflowId: string;
  type: string;
  startedAt: string;
  progress: Progress | null;
  /** Failed activities that wait for their next attempt. */
  retries: Retry[];
  /** How `limit` answers slow down workers of the run. */
  slowed: string[];
  /** What the steps in progress still have to fetch. */
  workLeft: WorkLeft[];
  /** Id of the worker version to which the run is pinned; null if it is not pinned. */
  version: string | null;
  /** Whether the run began with another content of the configuration file; null if unknown. */
  otherSettings: boolean | null;
}

interface Status {
  /**
   * Warnings about the workers: another data folder, settings that a worker read before the configuration file was
   * edited, or runs whose version has no worker.
   */
  workers: string[];
  /** The data folder this command reads. */
  dataDir: string;
  temporal: { address: string; ui: string | null; reachable: boolean; error: string | null };
  running: RunningRun[];
  /** Quota gates at which runs wait. */
  gates: OpenGate[];
  /** The worker version on which new runs start; null: unknown, or workers without a version. */
  currentVersion: string | null;
  /** Schedules that differ from the configuration file or are paused. */
  schedules: ScheduleRow[];
  /** The last ended run of each workflow type and market, newest first. */
  ended: EndedRun[];
  /** Runs of the last 7 days that failed at their input, newest first. */
  refusedInputs: RefusedInput[];
  next: { schedule: string; at: string }[];
  /** Alerts of the last 30 days that a target has not accepted, oldest first. */
  alerts: DeliveryRecord[];
  published: { file: string; at: string; bytes: number; build: ShownBuild | null; lastRuns: LastRun[] } | null;
  publishedError: string | null;
  /** Says that the warehouse is missing beside landed parts, and what to do; null if it is not. */
  warehouse: string | null;
  /** Result of the last copy to `publish.to`; null without this setting, or before the first copy. */
  copy: (CopyRecord & { current: boolean }) | null;
}

// Show runs that failed at their input for this many days.
const INPUT_DAYS = 7;
const MOST_INPUTS = 5;

// Show alerts of this many days that were not sent. Older ones no longer help.
const ALERT_DAYS = 30;

/** `tidemark status`: shows running workflows, the next scheduled runs and the age of the published warehouse. */
export function registerStatus(program: Command): void {
  program
    .command('status')
    .summary('show open runs, next runs and the warehouse')
    .description('show open runs, next scheduled runs, and the age of the published warehouse')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark status', 'tidemark status --json'))
    .action(async (options: { json?: boolean }, command: Command) => {
      const context = await loadContext(command);
      const [live, published] = await Promise.all([askTemporal(context), askPublished(context)]);
      const { openDeliveries } = await import('../../serve/alerts/records.js');
      const since = utcDay(daysBefore(context.clock.now(), ALERT_DAYS));
      const names = new Set(context.config.notify.map(({ name }) => name));
      const alerts = openDeliveries(context.config.dataDir, since).filter(({ target }) => names.has(target));
      const copy = await readCopy(context);
      const { missingWarehouse, REPLAY } = await import('../../warehouse/load/missing-warehouse.js');
      // The first run lands parts before it loads any.
      const isFirst = published.published === null && live.running.length > 0;
      const missing = isFirst ? null : await missingWarehouse(context.config);
      const warehouse = missing === null ? null : `${missing}. ${REPLAY}`;
      if (published.published !== null) await correctRunning(context, live, published.published.lastRuns);
      const status: Status = { dataDir: context.config.dataDir, ...live, alerts, ...published, warehouse, copy };
      if (options.json) sayJson(status);
      else say(renderStatus(status, Date.now()));
    });
}

export type Live = Pick<
  Status,
  'temporal' | 'running' | 'ended' | 'refusedInputs' | 'gates' | 'currentVersion' | 'schedules' | 'next' | 'workers'
>;

/**
 * Reads open runs, waits and next runs from Temporal. Never rejects: `temporal.error` says why there is no answer.
 * @param limits how long to wait for the connection, and for all answers together; by default as long as they take
 */
export async function askTemporal(
  { config }: Pick<CliContext, 'config'>,
  limits: { connectMs?: number; answerMs?: number } = {},
): Promise<Live> {
  const [{ resolveTemporal }, { connectForFolder }] = await Promise.all([
    import('../../temporal/connect.js'),
    import('../../temporal/connect-folder.js'),
  ]);
  const { address, ui } = resolveTemporal(config.dataDir);
  try {
    const temporal = await connectForFolder(config.dataDir, 'read', {
      ...(limits.connectMs !== undefined && { withinMs: limits.connectMs }),
    });
    try {
      const { client } = temporal;
      const [{ refusedInputs }, { readGates }, { readDeployment }, { listSchedules }] = await Promise.all([
        import('../../temporal/refused-inputs.js'),
        import('../../temporal/runs/quota-gates.js'),
        import('../../temporal/versions.js'),
        import('../schedule/schedule-list.js'),
      ]);
      const ask = async () =>
        Promise.all([
          runningRuns(client, config),
          endedRuns(
            client,
            config.markets.map(({ name }) => name),
          ),
          refusedInputs(client, daysBefore(new Date(), INPUT_DAYS)),
          readGates(client),
          readDeployment(client).catch(() => null),
          listSchedules(client, config),
          workerWarnings(client, config),
        ]);
      const [running, ended, refused, gates, deployment, schedules, workers] =
        limits.answerMs === undefined
          ? await ask()
          : await client.connection.withDeadline(Date.now() + limits.answerMs, ask);
      return {
        temporal: { address, ui, reachable: true, error: null },
        running,
        ended,
        refusedInputs: refused,
        gates,
        currentVersion: deployment?.current ?? null,
        schedules: schedules.filter(({ state }) => state !== 'active'),
        next: nextRuns(schedules),
        workers,
      };
    } finally {
      await temporal.close();
    }
  } catch (error) {
    return {
      temporal: { address, ui, reachable: false, error: errorMessage(error) },
      running: [],
      ended: [],
      refusedInputs: [],
      gates: [],
      currentVersion: null,
      schedules: [],
      next: [],
      workers: [],
    };
  }
}

async function runningRuns(client: Client, { fileHash }: Config): Promise<RunningRun[]> {
  const [{ retriesOf, slowedOf }, { pinnedBuild }] = await Promise.all([
    import('../../temporal/runs/follow-run.js'),
    import('../../temporal/versions.js'),
  ]);
  const { WorkflowType } = await import('../../../schemas/pipeline/run.js');
  const types = WorkflowType.options.map((type) => `"${type}"`).join(', ');
  const found: RunningRun[] = [];
  for await (const run of client.workflow.list({
    query: `ExecutionStatus = "Running" AND WorkflowType IN (${types})`,
  })) {
    found.push({
      workflowId: run.workflowId,
      type: run.type,
      startedAt: run.startTime.toISOString(),
      progress: null,
      retries: [],
      slowed: [],
      workLeft: [],
      version: null,
      otherSettings: null,
    });
  }
  const ask = async (run: RunningRun): Promise<RunningRun> => {
    // Without a worker the query gets no answer; list the run without progress.
    const handle = client.workflow.getHandle(run.workflowId);
    const answer = client.connection.withDeadline(Date.now() + 2_000, async () => handle.query<Progress>('progress'));
    const [progress, description] = await Promise.all([answer.catch(() => null), handle.describe().catch(() => null)]);
    return {
      ...run,
      progress,
      ...(progress && { workLeft: workLeft(progress) }),
      ...(description && {
        retries: retriesOf(description),
        slowed: slowedOf(description),
        version: pinnedBuild(description),
      }),
      otherSettings: progress?.fileHash ? progress.fileHash !== fileHash : null,
    };
  };
  return Promise.all(found.map(ask));
}

function nextRuns(schedules: readonly ScheduleRow[]): Status['next'] {
  return schedules
    .flatMap(({ schedule, next }) => (next === null ? [] : [{ schedule, at: next }]))
    .toSorted((a, b) => a.at.localeCompare(b.at));
}

async function askPublished({ config }: CliContext): Promise<Pick<Status, 'published' | 'publishedError'>> {
  const { openPublished } = await import('../../warehouse/builds/published.js');
  try {
    const published = await openPublished(config.dataDir);
    try {
      const { mtime, size } = statSync(published.file);
      const lastRuns = await readLastRuns(published);
      return {
        published: {
          file: published.file,
          at: mtime.toISOString(),
          bytes: size,
          build: shownBuild(config.dataDir),
          lastRuns,
        },
        publishedError: null,
      };
    } finally {
      published.close();
    }
  } catch (error) {
    return { published: null, publishedError: errorMessage(error) };
  }
}

/** Replaces the outcome `running` of runs that have ended since the last publication. */
async function correctRunning({ config }: CliContext, live: Live, lastRuns: LastRun[]): Promise<void> {
  if (!live.temporal.reachable) return;
  const open = new Set(live.running.map(({ workflowId }) => workflowId));
  const suspects = lastRuns.filter((run) => run.outcome === 'running' && !open.has(run.workflow_id));
  const { askFates } = await import('../ask-fates.js');
  const { outcomes } = await askFates(
    config.dataDir,
    suspects.map((run) => ({ workflowId: run.workflow_id, run: run.run_id })),
  );
  for (const run of suspects) run.outcome = outcomes.get(run.run_id) ?? run.outcome;
}

async function readCopy({ config }: CliContext): Promise<Status['copy']> {
  if (config.publish.to === undefined) return null;
  const [{ readCopyRecord }, { currentBuild, isTaken }] = await Promise.all([
    import('../../warehouse/builds/copy-published.js'),
    import('../../warehouse/builds/builds.js'),
  ]);
  const record = readCopyRecord(config.dataDir);
  const current = currentBuild(config.dataDir);
  // Another machine has published since, so the record of this one says nothing about the current build.
  if (current !== null && isTaken(config.dataDir, current)) return null;
  return record === undefined ? null : { ...record, current: record.build === current };
}

/** Renders the status for a person. Sends no request. Uses the terminal's colours and the current folder. */
export function renderStatus(status: Status, now: number): string {
  const paint = colorsFor(process.stdout);
  const { temporal, published } = status;
  const ago = (instant: string): string => `${formatDuration(Math.max(0, now - Date.parse(instant)))} ago`;
  const lines = [
    temporal.reachable
      ? `Temporal   ${temporal.address}${temporal.ui ? `   web UI ${temporal.ui}` : ''}`
      : paint.yellow(`Temporal   ${temporal.error ?? 'not reachable'}`),
  ];
  if (temporal.reachable && status.running.length === 0) lines.push('Running    nothing');
  for (const warning of status.workers) lines.push(paint.yellow(`Workers    ${warning}`));
  for (const run of status.running) {
    lines.push(`Running    ${run.workflowId}, started ${ago(run.startedAt)}`);
    const other = otherFolder(run.progress?.folder, status.dataDir);
    if (other !== null) lines.push(paint.yellow(`           ! ${other}`));
    lines.push(
      `           ${run.progress ? progressLine(run, run.progress, now) : 'the run does not answer; check that a worker runs (`tidemark worker`)'}`,
    );
    for (const remark of describeVersions(run, status)) lines.push(paint.yellow(`           ! ${remark}`));
  }
  const leftOf = (id: string): WorkLeft[] => status.running.find(({ workflowId }) => workflowId === id)?.workLeft ?? [];
  for (const gate of status.gates)
    lines.push(...describeGate(gate, leftOf).map((line, i) => `${i === 0 ? 'Quota     ' : '          '} ${line}`));
  // A run that failed publishes nothing. A later run publishes its record.
  const inWarehouse = new Set(published?.lastRuns.map(({ run_id }) => run_id));
  for (const { run, workflowId, outcome, finishedAt, error } of status.ended) {
    if (inWarehouse.has(run) || status.refusedInputs.some((one) => one.run === run)) continue;
    const line = `Ended      ${workflowId}: ${outcome.replaceAll('_', ' ')} ${ago(finishedAt)}`;
    lines.push(outcome === 'complete' ? line : paint.yellow(line));
    if (error !== null) lines.push(paint.yellow(`           ! ${visibleLine(error)}`));
  }
  for (const line of describeRefusedInputs(status.refusedInputs, ago)) lines.push(paint.yellow(line));
  for (const { schedule, at } of status.next) lines.push(`Next       ${formatInstant(at)}  ${schedule}`);
  for (const remark of describeSchedules(status.schedules)) lines.push(paint.yellow(`Schedules  ! ${remark}`));
  for (const alert of status.alerts) lines.push(paint.yellow(`Alerts     ! ${describeDelivery(alert, ago)}`));
  if (published) {
    lines.push(`Published  ${showPath(published.file)}, ${formatBytes(published.bytes)}, ${ago(published.at)}`);
    const older = published.build && describeOlder(published.build);
    if (older !== null) lines.push(paint.yellow(`           ! ${older}`));
    for (const run of published.lastRuns) {
      const error = status.ended.find((one) => one.run === run.run_id)?.error ?? null;
      const { line, warnings, remarks } = describeLastRun(run, error);
      lines.push(`           ${line}`, ...warnings.map((text) => paint.yellow(`           ! ${visibleLine(text)}`)));
      lines.push(...remarks.map((text) => `           ${text}`));
    }
  } else {
    lines.push(paint.yellow(`Published  ${status.publishedError ?? 'nothing'}`));
  }
  if (status.warehouse !== null) lines.push(paint.yellow(`Warehouse  ! ${status.warehouse}`));
  if (status.copy !== null) {
    const { to, at, build, current, fault } = status.copy;
    lines.push(`Copied     ${to}: ${current ? 'the current build' : (build ?? 'no build')}, tried ${ago(at)}`);
    if (fault !== null) lines.push(paint.yellow(`           ! ${fault}`));
    else if (!current)
      lines.push(paint.yellow('           ! It is not the current build. Run `tidemark publish --copy`.'));
  }
  return lines.join('\n');
}

function describeRefusedInputs(refused: readonly RefusedInput[], ago: (at: string) => string): string[] {
  const shown = refused.slice(0, MOST_INPUTS);
  const more = refused.length - shown.length;
  return [
    ...shown.flatMap(({ workflowId, type, failedAt, error }) => [
      `Ended      ${visibleLine(workflowId)} (${visibleLine(type)}): failed at its input ${ago(failedAt)}`,
      `           ! ${visibleLine(error)}`,
    ]),
    ...(more > 0 ? [`           and ${formatCount(more)} more: see the failed runs in the Temporal UI`] : []),
  ];
}

function describeDelivery(
  { title, target, state, attempts, since, error }: DeliveryRecord,
  ago: (at: string) => string,
): string {
  if (state === 'sending') return `"${title}" is being sent to ${target}.`;
  const tries = `${formatCount(attempts)} attempt${attempts === 1 ? '' : 's'}, the first ${ago(since)}`;
  return `"${title}" is not sent to ${target} (${tries}): ${error} Try \`tidemark notify test ${target}\`.`;
}

/** Describes the progress of a run in one line, with its warnings below. */
export function progressLine({ retries, slowed, startedAt }: RunningRun, progress: Progress, now: number): string {
  const state = advance(null, { progress, beats: [], retries, slowed, workers: true }, now, Date.parse(startedAt));
  return [renderLine(state), ...warningsOf(state).map((warning) => `! ${warning}`)].join('\n           ');
}
