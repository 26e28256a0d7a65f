import { formatCount, formatDuration, formatInstant, formatPercent, formatShare } from '../../schemas/format.js';
import type { DiscoverResult } from '../../schemas/pipeline/activities.js';
import type { DueReason, DuePlan } from '../../schemas/pipeline/due.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { Progress, ProgressStep } from '../../schemas/pipeline/run.js';

/**
 * Returns a run's progress as Markdown, which the Temporal UI shows under "Current details".
 * @param now milliseconds since 1970
 */
export function describeProgress(progress: Progress, coverage: DiscoverResult['coverage'], now: number): string {
  const head = [
    `**${headline(progress)}**`,
    progress.market === null ? null : `market \`${progress.market}\``,
    progress.date === null ? null : `date ${progress.date}`,
    `${formatCount(progress.requests)} requests`,
    progress.rejects === undefined ? null : `${formatCount(progress.rejects)} rejects`,
    progress.folder === undefined ? null : `data folder \`${progress.folder.path}\` on ${progress.folder.host}`,
  ].filter((part) => part !== null);
  const why = progress.why ?? [];
  const above = [
    head.join(' · '),
    ...why.map((reason) => `- ${reason}`),
    tableInWords(progress),
    waitingInWords(progress),
    coverageInWords(coverage),
  ].filter((part) => part !== null);
  const rows = progress.steps.map((step) => {
    const cells = [
      step.name,
      formatCount(step.done),
      step.total === null ? '?' : formatCount(step.total),
      step.total === null ? '' : formatPercent(step.done, step.total),
    ];
    return `| ${[...cells, step.state, endOf(step, progress, now), step.about ?? ''].join(' | ')} |`;
  });
  const table = [
    '| step | done | of | % | state | ETA | due |',
    '| --- | ---: | ---: | ---: | --- | --- | --- |',
    ...rows,
  ];
  return [
    above.join('\n\n'),
    '',
    ...table,
    ...progress.notes.filter((note) => !why.includes(note)).map((note) => `\n> ${note}`),
  ].join('\n');
}

function headline({ phase, outcome }: Progress): string {
  const doing = phase.replaceAll('-', ' ');
  if (outcome === undefined) return doing;
  return outcome === 'failed' || outcome === 'cancelled' ? `${outcome} while ${doing}` : outcome;
}

function tableInWords({ phase, table }: Progress): string | null {
  if (table === undefined) return null;
  const what = phase === 'modelling' ? 'Builds model' : 'Publishes table';
  return `${what} ${formatCount(table.done + 1)} of ${formatCount(table.total)}: \`${table.name}\``;
}

function waitingInWords({ phase, waiting }: Progress): string | null {
  if (phase === 'paused')
    return 'An operator paused the run. To continue, send the signal `resume` or run `tidemark resume`.';
  return waiting ?? null;
}

/**
 * Returns why a run waits for quota.
 * @param leavesQuota share of the daily quota that the run leaves to other runs
 * @param probeEvery seconds until the first check of the quota
 * @param grows true when the API gives no quota figure: the quota gate then doubles the pause after each check
 */
export function waitingReason(leavesQuota: number, probeEvery: number, grows = false): string {
  const why =
    leavesQuota > 0
      ? `The run has used its share of the daily quota (${formatShare(1 - leavesQuota)}).`
      : 'The daily quota of the API is used up.';
  const pause = formatDuration(probeEvery * 1_000);
  return grows
    ? `${why} The API gives no quota figure, so Tidemark tries it again after ${pause}, and then after growing pauses.`
    : `${why} Tidemark checks every ${pause} whether the API allows requests again.`;
}

function coverageInWords(coverage: DiscoverResult['coverage']): string | null {
  if (coverage === null) return null;
  const { distinctCompanies, reportedTotal, missing, share } = coverage;
  const [reached, least] = share === null ? ['unknown', 'at least '] : [formatShare(share), ''];
  return `Coverage ${reached}: ${formatCount(distinctCompanies)} of ${least}${formatCount(reportedTotal)} companies, ${formatCount(missing)} missing.`;
}

/**
 * Returns when a step probably ends. Empty unless the run fetches records for this step, and while the end cannot be
 * forecast.
 */
function endOf(step: ProgressStep, { phase }: Progress, now: number): string {
  const { state, done, total, workedMs, untimed } = step;
  if (state !== 'running' || phase !== 'crawling' || untimed || total === null) return '';
  if (done === 0 || done >= total || workedMs === 0) return '';
  return formatInstant(new Date(now + (workedMs * (total - done)) / done).toISOString());
}

const REASONS: Record<DueReason, string> = {
  new: 'new',
  unfetched: 'never fetched',
  event: 'with events',
  renamed: 'renamed',
  status: 'with a new status',
  entered: 'back in the market',
  left: 'no longer in the market',
  changed: 'changed',
  watched: 'watched',
  failed: 'failed last time',
  stale: 'stale',
};

/**
 * Returns why entities are due, the most important reason first: `5 new, 101 with events, 6 failed last time, 200
 * stale`.
 */
export function reasonsInWords(reasons: DuePlan['reasons']): string {
  const present = (Object.keys(REASONS) as DueReason[]).filter((reason) => reasons[reason] !== undefined);
  return present.map((reason) => `${formatCount(reasons[reason] ?? 0)} ${REASONS[reason]}`).join(', ');
}

/** Returns a message that names the route that this API key may not use, and the remedy. */
export function refusalInWords(refusal: Refusal): string {
  const { stream, endpoint, guard, message } = refusal;
  const what = stream.replaceAll('_', ' ');
  const names = namesOf(refusal);
  if (guard === 'limit') {
    return `${what}: the API answered only "limit"${names === '' ? '' : ` (${names})`} to ${endpoint} for two hours. The run skipped the remaining records. The next run tries again.`;
  }
  return names === ''
    ? `${what}: the API does not allow ${endpoint} with this API key ("${message}"). The run skipped the remaining records. Ask the issuer of the API key for the permission. The next run tries again.`
    : `${what}: this API key lacks the ${names}, which ${endpoint} needs. The run skipped the remaining records. Ask the issuer of the API key for this permission. The next run tries again.`;
}

function namesOf({ permission, module, app }: Refusal): string {
  const named = { permission, module, app };
  return Object.entries(named)
    .flatMap(([what, name]) => (name === null ? [] : [`${what} "${name}"`]))
    .join(', ');
}
