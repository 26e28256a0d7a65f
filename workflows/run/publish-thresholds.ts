import { formatCount, formatShare } from '../../schemas/format.js';
import type { Coverage, PublishThresholds } from '../../schemas/pipeline/run.js';

// Do not compare smaller markets: there, a few companies are already a large share.
const SMALLEST_COMPARED = 100;
// Share of a market's companies that may enter, leave or move during a search without making the night incomplete.
const MOVING_SHARE = 0.001;

/**
 * Returns why the thresholds hold a market's night back, with the remedy. Null when they do not. Compares with the
 * current night only if that night used the same filters and has at least 100 companies.
 * @param gate null: the run has no publish thresholds
 */
export function heldBackBy(gate: PublishThresholds | null, coverage: Coverage | null): string | null {
  if (gate === null || coverage === null) return null;
  const { minCoverage, maxDrop, current } = gate;
  const { reportedTotal, distinctCompanies } = coverage;
  // If the share is unknown, the market has at least `reportedTotal` companies. So the share is at most this number.
  const share = coverage.share ?? distinctCompanies / Math.max(1, reportedTotal);
  const meanwhile =
    current === null ? 'This market has no current night yet' : `The night of ${current.date} stays current`;
  const accept = (setting: string): string =>
    `${meanwhile}. If the market has no more companies, ${setting} of this market and run the snapshot again. It does not fetch fresh records again.`;
  if (share < minCoverage) {
    return `Held back: the run found ${formatCount(distinctCompanies)} of ${formatCount(reportedTotal)} companies (${formatShare(share)}), below minCoverage (${formatShare(minCoverage)}). ${accept('lower `minCoverage`')}`;
  }
  if (current?.comparable && current.companies >= SMALLEST_COMPARED) {
    const least = current.companies * (1 - maxDrop);
    if (distinctCompanies < least) {
      return `Held back: the run found ${formatCount(distinctCompanies)} companies; the night of ${current.date} has ${formatCount(current.companies)}. The drop exceeds ${formatShare(maxDrop)} (maxDrop). ${accept('raise `maxDrop`')}`;
    }
  }
  return null;
}

/**
 * Returns whether the search missed part of a market. Ignores companies that moved during the search, up to 0.1 % of the
 * reported companies.
 */
export function isIncomplete(coverage: Coverage | null): boolean {
  if (coverage === null) return false;
  const { missing, moved = 0, reportedTotal } = coverage;
  return missing > moved || moved > reportedTotal * MOVING_SHARE;
}
