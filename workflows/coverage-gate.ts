import type { Coverage, CoverageGate } from '../schemas/pipeline/run.js';

// Below that a drop of a few companies is a large share and no sign of a fault.
const SMALLEST_COMPARED = 100;
// So many of a living market come, leave or move while it is read.
const MOVING_SHARE = 0.001;

/**
 * Why a market that was read does not become current, in words that say what to do; null when it does. A market that is
 * small, or was asked for with other filters, is not compared with the night before. A run opened by a version that knew
 * no gate has none.
 */
export function heldBackBy(gate: CoverageGate | null | undefined, coverage: Coverage | null): string | null {
  if (!gate || coverage === null) return null;
  const { minCoverage, maxDrop, current } = gate;
  const { reportedTotal, distinctCompanies } = coverage;
  // Members that were left to later nights by configuration hold back no night: readers keep them, with their age.
  const carried = coverage.carried?.companies ?? 0;
  const members = distinctCompanies + carried;
  const share = carried === 0 ? coverage.share : Math.min(1, members / Math.max(1, reportedTotal));
  const kept = carried === 0 ? '' : ` and carried ${carried.toLocaleString('en-US')} over from earlier nights`;
  const meanwhile =
    current === null ? 'This market has no current night yet' : `The night of ${current.date} stays current`;
  const accept = (setting: string): string =>
    `${meanwhile}. If the market has no more companies, ${setting} of this market and run the snapshot again. It does not fetch fresh records again.`;
  if (share < minCoverage) {
    return `Held back: the run found ${distinctCompanies.toLocaleString('en-US')} of ${reportedTotal.toLocaleString('en-US')} companies${kept} (${percent(share)}), below minCoverage (${percent(minCoverage)}). ${accept('lower `minCoverage`')}`;
  }
  if (current?.comparable && current.companies >= SMALLEST_COMPARED) {
    const least = current.companies * (1 - maxDrop);
    if (members < least) {
      return `Held back: the run found ${distinctCompanies.toLocaleString('en-US')} companies${kept}; the night of ${current.date} has ${current.companies.toLocaleString('en-US')}. The drop exceeds ${percent(maxDrop)} (maxDrop). ${accept('raise `maxDrop`')}`;
    }
  }
  return null;
}

/**
 * Whether part of a market could not be reached. Companies that moved while it was read, few as they are, do not count, nor
 * do those that the configuration leaves to later nights.
 */
export function isIncomplete(coverage: Coverage | null): boolean {
  if (coverage === null) return false;
  const { moved = 0, postponed = 0, reportedTotal } = coverage;
  const missing = coverage.missing - postponed;
  return missing > moved || moved > reportedTotal * MOVING_SHARE;
}

/** Rounded down, so that 100 % is said of the whole only. */
function percent(share: number): string {
  return `${Math.floor(share * 10_000) / 100} %`;
}
