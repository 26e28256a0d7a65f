import type { Coverage, RunResult } from '../../../schemas/pipeline/run.js';
import { reasonsInWords } from '../../../workflows/run/describe.js';
import { formatCount, formatShare } from '../../../schemas/format.js';
import { otherFolder, publishedPlace } from '../status/other-folder.js';
import { atMostFive } from '../terminal/at-most-five.js';
import { colorsFor } from '../terminal/print.js';

/** Renders a finished run in a few lines: outcome, coverage, cost, published file and problems. */
export function renderResult(workflowId: string, result: RunResult, dataDir: string): string {
  const paint = colorsFor(process.stdout);
  const mark = result.outcome === 'complete' ? paint.green('✔') : paint.yellow('!');
  const ending = [
    result.outcome,
    ...(result.incomplete ? ['incomplete'] : []),
    ...(result.heldBack ? ['held back'] : []),
  ];
  const lines = [`${mark} ${workflowId}: ${ending.join(', ')}`];
  if (result.coverage) lines.push(`  coverage   ${renderCoverage(result.coverage)}`);
  // A retry fetches only rejects. A stream without any is nothing that it did.
  const isRetry = workflowId.startsWith('rejects/');
  for (const { stream, known, due, reasons } of result.due) {
    if (isRetry && due === 0) continue;
    const why = due === 0 ? '' : `: ${reasonsInWords(reasons)}`;
    lines.push(`  due        ${formatCount(due)} of ${formatCount(known)} ${stream.replaceAll('_', ' ')}${why}`);
  }
  lines.push(`  requests   ${formatCount(result.requests)}${renderForecast(result)}`);
  lines.push(`  rows       ${formatCount(result.rows)} landed, ${formatCount(result.rejects)} rejected`);
  for (const { stream, endpoint, permission, module } of result.refused) {
    const names = [permission && `permission "${permission}"`, module && `module "${module}"`].filter(Boolean);
    lines.push(paint.yellow(`  refused    ${stream.replaceAll('_', ' ')}: ${[...names, endpoint].join(', ')}`));
  }
  for (const difference of result.drift) lines.push(`  drift      ${difference}`);
  if (result.published !== null) lines.push(`  published  ${publishedPlace(result.published, result.folder, dataDir)}`);
  const other = otherFolder(result.folder, dataDir);
  if (other !== null) lines.push(paint.yellow(`  ! ${other}`));
  const why = result.why.map(({ reason }) => reason);
  const ofMarket = result.market === null ? '' : ` --market ${result.market}`;
  const remarks = result.notes.filter((note) => !why.includes(note));
  for (const text of [...atMostFive(why, `tidemark coverage${ofMarket}`), ...atMostFive(remarks, 'tidemark runs')])
    lines.push(paint.yellow(`  ! ${text}`));
  return lines.join('\n');
}

/** Compares sent requests with the forecast: ` (forecast 3,120, −1.6 %)`. */
function renderForecast({ requests, forecast }: RunResult): string {
  if (forecast === null) return '';
  const off = forecast === 0 ? 0 : (requests / forecast - 1) * 100;
  const sign = off < 0 ? '−' : '+';
  return ` (forecast ${formatCount(forecast)}, ${sign}${Math.abs(off).toFixed(Math.abs(off) < 10 ? 1 : 0)} %)`;
}

/**
 * Renders coverage, for example `9,998 of 10,000 companies (99.98 %), 2 missing`. If the share is unknown, the total is
 * only a lower bound.
 */
export function renderCoverage({ reportedTotal, distinctCompanies, missing, share }: Coverage): string {
  const [least, reached] =
    share === null ? ['at least ', 'share unknown'] : ['', formatShare(missing === 0 ? 1 : share)];
  const found = `${formatCount(distinctCompanies)} of ${least}${formatCount(reportedTotal)} companies (${reached})`;
  return missing > 0 ? `${found}, ${formatCount(missing)} missing` : found;
}
