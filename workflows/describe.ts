import type { DiscoverResult } from '../schemas/pipeline/crawl.js';
import type { Progress } from '../schemas/pipeline/run.js';

/** A run's progress as the Markdown table the Temporal UI shows under "Current details". */
export function describeProgress(progress: Progress, coverage: DiscoverResult['coverage']): string {
  const head = [
    `**${progress.phase}**`,
    progress.market === null ? null : `market \`${progress.market}\``,
    progress.date === null ? null : `date ${progress.date}`,
    `${progress.requests} requests`,
  ].filter((part) => part !== null);
  const rows = progress.steps.map((step) => `| ${step.name} | ${step.done} | ${step.total ?? '?'} | ${step.state} |`);
  const table = ['| step | done | of | state |', '| --- | ---: | ---: | --- |', ...rows];
  const proof = coverage
    ? [`\nCoverage: ${coverage.distinctCompanies} of ${coverage.reportedTotal} companies, ${coverage.missing} missing.`]
    : [];
  return [head.join(' · '), '', ...table, ...proof, ...progress.notes.map((note) => `\n> ${note}`)].join('\n');
}
