import type { DiscoverResult, DueReason, DuePlan } from '../schemas/pipeline/crawl.js';
import type { Progress } from '../schemas/pipeline/run.js';

/** A run's progress as the Markdown table the Temporal UI shows under "Current details". */
export function describeProgress(progress: Progress, coverage: DiscoverResult['coverage']): string {
  const head = [
    `**${progress.phase}**`,
    progress.market === null ? null : `market \`${progress.market}\``,
    progress.date === null ? null : `date ${progress.date}`,
    `${progress.requests} requests`,
  ].filter((part) => part !== null);
  const rows = progress.steps.map(
    (step) => `| ${step.name} | ${step.done} | ${step.total ?? '?'} | ${step.state} | ${step.about ?? ''} |`,
  );
  const table = ['| step | done | of | state | due |', '| --- | ---: | ---: | --- | --- |', ...rows];
  const carried = coverage?.carried
    ? ` Carried over, not asked for: ${coverage.carried.companies}, last found on ${coverage.carried.since} or later.`
    : '';
  const proof = coverage
    ? [
        `\nCoverage: ${coverage.distinctCompanies} of ${coverage.reportedTotal} companies, ${coverage.missing} missing.${carried}`,
      ]
    : [];
  return [head.join(' · '), '', ...table, ...proof, ...progress.notes.map((note) => `\n> ${note}`)].join('\n');
}

const REASONS: Record<DueReason, string> = {
  new: 'new',
  unfetched: 'never fetched',
  event: 'with events',
  renamed: 'renamed',
  status: 'of another status',
  entered: 'back in the market',
  changed: 'changed',
  watched: 'watched',
  failed: 'failed last time',
  stale: 'stale',
};

/** Why the entities of a plan are due, most valuable first: `5 new, 101 with events, 6 failed last time, 200 stale`. */
export function reasonsInWords(reasons: DuePlan['reasons'] = {}): string {
  const told = (Object.keys(REASONS) as DueReason[]).filter((reason) => reasons[reason] !== undefined);
  return told.map((reason) => `${reasons[reason]?.toLocaleString('en-US')} ${REASONS[reason]}`).join(', ');
}
