import type { CoverageRecord } from '../../schemas/pipeline/landing.js';
import { missingOf, type Segment } from './tree.js';

export interface CoverageInput {
  market: string;
  root: Segment;
  /** Root's total as first and as last reported; null before the first answer. */
  firstTotal: number | null;
  done: boolean;
  /** Dimensions that could not be used, with the reason in words. */
  dropped: ReadonlyMap<string, string>;
}

/**
 * What was reached of a market, and each segment that was not reached whole, with its filters and count. The counts
 * add up to what is missing, or to a little more: what a segment misses may have been seen by luck elsewhere.
 */
export function describeCoverage({ market, root, firstTotal, done, dropped }: CoverageInput): CoverageRecord {
  const missing = missingOf(root);
  const why: CoverageRecord['why'] = [];
  if (!done) {
    why.push({ segment: root.id, filters: root.filters, missing, reason: 'the crawl has not come to its end' });
  } else if (firstTotal === null) {
    why.push({ segment: root.id, filters: root.filters, missing, reason: root.shortfall ?? 'the API gave no total' });
  } else {
    const grown = firstTotal === root.total ? '' : `: ${firstTotal} at first, ${root.total} at the end`;
    explain(root, why, `the market's total changed while it was read${grown}`);
  }
  // Every split might have gone another way with a dimension more: said wherever something is missing.
  const unusable = dropped.size > 0 ? ` (not usable: ${[...dropped.values()].sort().join('; ')})` : '';
  return {
    market,
    reported_total: root.total,
    distinct_companies: root.distinct,
    missing,
    share: firstTotal === null ? 0 : root.total === 0 ? 1 : Math.min(1, root.distinct / root.total),
    why: why.map((entry) => ({ ...entry, reason: entry.reason + unusable })),
  };
}

/** Names what is missing where it is missing: at the deepest segment that can be told apart from its siblings. */
function explain(segment: Segment, why: CoverageRecord['why'], otherwise: string): void {
  const missing = missingOf(segment);
  if (missing === 0) return;
  const unproven = segment.merged
    ? []
    : segment.children
        .filter((child) => child.state !== 'calibration' && missingOf(child) > 0)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
  const here = missing - unproven.reduce((sum, child) => sum + missingOf(child), 0);
  if (here > 0)
    why.push({ segment: segment.id, filters: segment.filters, missing: here, reason: segment.shortfall ?? otherwise });
  for (const child of unproven) explain(child, why, 'companies came, left or moved while this segment was read');
}
