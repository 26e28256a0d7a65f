import { formatCount, formatDuration } from '../../schemas/format.js';
import type { Alert } from '../../schemas/pipeline/alert.js';
import type { Cause } from '../../schemas/pipeline/cause.js';
import type { Progress, RunContext, RunResult } from '../../schemas/pipeline/run.js';
import { RETRY_STREAMS } from '../../schemas/streams/streams.js';
import { snapshotId, tendersId, watchId } from '../ids.js';

/*
 * Pure functions that build the alerts of a run. Facts come from counts, notes and error messages, so they hold no
 * personal data.
 */

// The notes of a run may be many and long. The Temporal UI and `tidemark runs` have all of them.
const MOST_NOTES = 6;
const LONGEST = 1_000;

/** Findings of a run that its result does not contain. Each text is a sentence or clause for people. */
export interface Findings {
  /** Schema drift that no earlier run had. */
  newDrift: readonly string[];
  /** Sentence about calls that the API counted in addition to the run's own calls; null when they are negligible. */
  overuse: string | null;
  /** Other findings that an operator must see, by kind. Null or empty: not found. */
  warnings: Record<'audits' | 'clock' | 'quota' | 'parts' | 'drift', readonly string[]>;
}

/** Returns the alerts of a run that ended, except those that no target takes. */
export function alertsOf(ctx: RunContext, result: RunResult, findings: Findings, now: Date): Alert[] {
  const make = alertMaker(ctx, now);
  const alerts: Alert[] = [];
  const gaps = [coverageFact(result), rejectsFact(result), ...shortNotes(result.notes)].filter((fact) => fact !== null);
  if (result.heldBack !== null) {
    // The notes of a run hold the reason, too.
    const facts = [result.heldBack, ...gaps.filter((fact) => fact !== cut(result.heldBack ?? ''))];
    alerts.push(
      make(
        'held-back',
        null,
        'held back',
        facts,
        `Look at the gaps with \`tidemark coverage\`. Then repeat the night: ${howToRepeat(ctx)}`,
      ),
    );
  } else if (result.outcome === 'partial') {
    const todo = `Look at the gaps with \`tidemark coverage\` and \`tidemark rejects\`. The next run of the same kind tries again. To try now: ${howToRepeat(ctx)}`;
    alerts.push(make('partial', null, 'partial', gaps, todo));
  }
  if (findings.overuse !== null) {
    const todo = 'Find out who else uses the API key. `tidemark quota --live` shows the quota.';
    alerts.push(make('quota', 'overuse', 'quota overuse', [findings.overuse], todo));
  }
  if (findings.newDrift.length > 0) {
    const facts = [...findings.newDrift, 'No data is lost: the landing zone keeps all answers as received.'];
    const todo = 'Look at all differences with `tidemark sql "FROM ops.drift"`.';
    alerts.push(make('drift', null, 'the answers of the API changed', facts, todo));
  }
  const kinds = Object.entries(findings.warnings).filter(([, texts]) => texts.length > 0);
  if (kinds.length > 0) {
    const facts = kinds.flatMap(([, texts]) => texts);
    const title = facts.length === 1 ? '1 warning' : `${formatCount(facts.length)} warnings`;
    const what = kinds.map(([kind]) => kind).join('+');
    alerts.push(make('warning', what, title, facts, 'Check with `tidemark status` and `tidemark doctor`.'));
  }
  return alerts.filter(({ cause }) => isTaken(ctx, cause));
}

/**
 * Returns the alert of a run that failed.
 * @param run the run's context, or what is known of a run that could not be opened
 * @param failure type (ErrorType) and message of the error; the message ends with the remedy
 */
export function failedAlert(
  run: Alerted,
  failure: { type: string; message: string },
  requests: number,
  now: Date,
): Alert {
  const facts = [
    failure.message,
    `${formatCount(requests)} requests were sent. Fetched records are kept, and readers still see the previous build.`,
  ];
  const todo = `Correct the cause; \`tidemark doctor\` checks key, API, Temporal, disk and warehouse. Then run again: ${howToRepeat(run)}`;
  return alertMaker(run, now)('failed', failure.type, 'the run failed', facts, todo);
}

/**
 * Returns the alert of a run that waits for the daily quota.
 * @param waited seconds that the run has waited in total
 */
export function quotaWaitAlert(ctx: RunContext, progress: Progress, waited: number, now: Date): Alert {
  const step = progress.steps.findLast(({ state }) => state === 'running');
  const done = step
    ? ` Its step "${step.name}" is at ${formatCount(step.done)} of ${step.total === null ? '?' : formatCount(step.total)}.`
    : '';
  return alertMaker(ctx, now)(
    'quota',
    'wait',
    'waits for the daily quota',
    [
      `The daily quota of the API key is used up. The run has waited ${formatDuration(waited * 1_000)} in total, and has sent ${formatCount(progress.requests)} requests.${done}`,
      'It continues by itself when the API allows requests again.',
    ],
    'Look at the quota with `tidemark quota --live`. To publish now what is fetched: `tidemark stop`.',
  );
}

/** Whether a target takes alerts of a cause. */
export function isTaken({ alerts }: Pick<RunContext, 'alerts'>, cause: Cause): boolean {
  return alerts?.causes.includes(cause) ?? false;
}

/** What an alert says about its run. */
type Alerted = Pick<RunContext, 'workflowType' | 'workflowId' | 'run' | 'market' | 'date'> &
  Partial<Pick<RunContext, 'folder' | 'from' | 'to' | 'streams'>>;

type Make = (cause: Cause, what: string | null, title: string, facts: readonly string[], todo: string) => Alert;

/** Returns a function that builds alerts of a run. `what` distinguishes causes of one kind in the same night. */
function alertMaker(ctx: Alerted, now: Date): Make {
  const { market, date, workflowId, run, folder } = ctx;
  return (cause, what, title, facts, todo) => ({
    id: [nightOf(ctx), cause, ...(what === null ? [] : [what])].join('/'),
    cause,
    market,
    date,
    title: `${nameOf(ctx)}: ${title}`,
    facts: facts.map(cut),
    todo,
    workflowId,
    run,
    at: now.toISOString(),
    ...(folder ? { folder } : {}),
  });
}

/** Returns the id of a night. It does not depend on who started the run: `snapshot/demo/2026-11-20`. */
function nightOf({ workflowType, workflowId, market, date }: Alerted): string {
  if (workflowType === 'marketSnapshot' && market !== null) return snapshotId(market, date);
  if (workflowType === 'tenderSnapshot') return tendersId(date);
  if (workflowType === 'watchSync') return watchId(date);
  return workflowId;
}

function nameOf({ workflowType, workflowId, market, date }: Alerted): string {
  if (workflowType === 'marketSnapshot') return `Market ${market}, night of ${date}`;
  if (workflowType === 'tenderSnapshot') return `Tenders, night of ${date}`;
  if (workflowType === 'watchSync') return `Watch events, night of ${date}`;
  return `Run ${workflowId}`;
}

/** Returns the command that repeats a run, as the end of a sentence. */
function howToRepeat(run: Alerted): string {
  const command = commandFor(run);
  return command === null ? 'repeat the command that started the run.' : `\`${command}\`.`;
}

/** Returns the command that repeats a run. Null for the run of a list: only the person knows the file of the list. */
function commandFor({ workflowType, market, from, to, streams = [] }: Alerted): string | null {
  const ofMarket = market === null ? '' : ` --market ${market}`;
  const isAll = workflowType === 'retryRejects' && streams.length === RETRY_STREAMS.length;
  const ofStreams = streams.length === 0 || isAll ? '' : ` --streams ${streams.join(',')}`;
  switch (workflowType) {
    case 'marketSnapshot':
      return `tidemark snapshot${ofMarket}`;
    case 'tenderSnapshot':
      return 'tidemark tenders';
    case 'watchSync':
      return 'tidemark watch sync';
    case 'backfill':
      return `tidemark backfill --from ${from} --to ${to}${ofStreams}${ofMarket}`;
    case 'retryRejects':
      return `tidemark rejects retry${ofStreams}${ofMarket}`;
    case 'enrichOwners':
      return `tidemark owners enrich${ofMarket}`;
    case 'resolveCompanies':
    case 'enrichPeople':
    case 'checkPayees':
      return null;
  }
}

function coverageFact({ coverage }: RunResult): string | null {
  if (coverage === null || coverage.missing === 0) return null;
  const { missing, reportedTotal, distinctCompanies } = coverage;
  return `${formatCount(missing)} of ${formatCount(reportedTotal)} companies missing; ${formatCount(distinctCompanies)} found.`;
}

function rejectsFact({ rejects }: RunResult): string | null {
  return rejects === 0 ? null : `${formatCount(rejects)} values or records cannot be used (ops.rejects).`;
}

function shortNotes(notes: readonly string[]): string[] {
  const rest = notes.length - MOST_NOTES;
  return [
    ...notes.slice(0, MOST_NOTES).map(cut),
    ...(rest > 0 ? [`${formatCount(rest)} more notes: see the run.`] : []),
  ];
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
