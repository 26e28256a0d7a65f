import type { DiscoverResult } from '../../schemas/pipeline/activities.js';
import type { DueReason, DuePlan } from '../../schemas/pipeline/due.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { Progress } from '../../schemas/pipeline/run.js';

/** Returns a run's progress as Markdown, which the Temporal UI shows under "Current details". */
export function describeProgress(progress: Progress, coverage: DiscoverResult['coverage']): string {
  const head = [
    `**${progress.phase}**`,
    progress.market === null ? null : `market \`${progress.market}\``,
    progress.date === null ? null : `date ${progress.date}`,
    `${progress.requests.toLocaleString('en-US')} requests`,
    progress.folder === undefined ? null : `data folder \`${progress.folder.path}\` on ${progress.folder.host}`,
  ].filter((part) => part !== null);
  const rows = progress.steps.map(
    (step) => `| ${step.name} | ${step.done} | ${step.total ?? '?'} | ${step.state} | ${step.about ?? ''} |`,
  );
  const table = ['| step | done | of | state | due |', '| --- | ---: | ---: | --- | --- |', ...rows];
  const carried = coverage?.carried
    ? ` Carried over, not searched: ${coverage.carried.companies.toLocaleString('en-US')}, last found on ${coverage.carried.since} or later.`
    : '';
  const proof = coverage
    ? [
        `\nCoverage: ${coverage.distinctCompanies.toLocaleString('en-US')} of ${coverage.reportedTotal.toLocaleString('en-US')} companies, ${coverage.missing.toLocaleString('en-US')} missing.${carried}`,
      ]
    : [];
  return [head.join(' · '), '', ...table, ...proof, ...progress.notes.map((note) => `\n> ${note}`)].join('\n');
}

const REASONS: Record<DueReason, string> = {
  new: 'new',
  unfetched: 'never fetched',
  event: 'with events',
  renamed: 'renamed',
  status: 'with a new status',
  entered: 'back in the market',
  changed: 'changed',
  watched: 'watched',
  failed: 'failed last time',
  stale: 'stale',
};

/**
 * Returns why entities are due, the most important reason first: `5 new, 101 with events, 6 failed last time, 200
 * stale`.
 */
export function reasonsInWords(reasons: DuePlan['reasons'] = {}): string {
  const present = (Object.keys(REASONS) as DueReason[]).filter((reason) => reasons[reason] !== undefined);
  return present.map((reason) => `${reasons[reason]?.toLocaleString('en-US')} ${REASONS[reason]}`).join(', ');
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
