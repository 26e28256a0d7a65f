import type { CoverageCertificate, CoverageRecord } from '../../schemas/pipeline/landing.js';
import { missingOf, type Segment, type SegmentTree } from './tree.js';

export interface CoverageInput {
  market: string;
  tree: SegmentTree;
  /** Root's total as first reported; null before the first answer. */
  firstTotal: number | null;
  done: boolean;
  /** Dimensions that could not be used, with the reason in words. */
  dropped: ReadonlyMap<string, string>;
}

type Gap = CoverageRecord['why'][number];

/**
 * What was reached of a market, each segment that was not reached whole, with its filters and count, and what the
 * claim rests on. What a segment misses may have been seen by luck elsewhere: then the gaps add up to a little more.
 */
export function describeCoverage({ market, tree, firstTotal, done, dropped }: CoverageInput): CoverageRecord {
  const { root } = tree;
  const missing = missingOf(root);
  const reached = root.distinct + root.carried;
  const why: Gap[] = [];
  const whole = { segment: root.id, filters: root.filters, missing, class: 'unproven' as const };
  if (!done) {
    why.push({ ...whole, reason: 'the crawl has not come to its end' });
  } else if (firstTotal === null) {
    why.push({ ...whole, reason: root.shortfall ?? 'the API gave no total' });
  } else {
    const grown = firstTotal === root.total ? '' : `: ${firstTotal} at first, ${root.total} at the end`;
    explain(root, why, `the market's total changed while it was read${grown}`);
  }
  // Every split might have gone another way with a dimension more: said wherever something is missing.
  const unusable = dropped.size > 0 ? ` (not usable: ${[...dropped.values()].sort().join('; ')})` : '';
  return {
    market,
    reported_total: root.total,
    distinct_companies: reached,
    missing,
    share: firstTotal === null ? 0 : root.total === 0 ? 1 : Math.min(1, reached / root.total),
    why: why.map((entry) => ({ ...entry, reason: entry.reason + unusable })),
    certificate: certify(tree, why),
  };
}

/** Names what is missing where it is missing: at the deepest segment that can be told apart from its siblings. */
function explain(segment: Segment, why: Gap[], otherwise: string): void {
  const missing = missingOf(segment);
  if (missing === 0 && !segment.uncounted) return;
  const unproven = segment.merged
    ? []
    : segment.children
        .filter((child) => child.state !== 'calibration' && (missingOf(child) > 0 || child.uncounted))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
  const here = missing - unproven.reduce((sum, child) => sum + missingOf(child), 0);
  if (here > 0 || segment.uncounted) {
    const { id, filters, shortfall } = segment;
    const gap = { segment: id, filters, missing: Math.max(0, here), reason: shortfall ?? otherwise };
    why.push({ ...gap, class: classOf(segment) });
  }
  for (const child of unproven) explain(child, why, 'companies came, left or moved while this segment was read');
}

function classOf({ state, shortfall }: Segment): Gap['class'] {
  if (state === 'truncated') return 'unsplittable';
  return state === 'drifted' || shortfall === null ? 'drifted' : 'unproven';
}

/** Every company once: found ones by the best proof there is, missing ones by the gap they fall into. */
function certify({ root, proofs }: SegmentTree, why: readonly Gap[]): CoverageCertificate {
  const certificate: CoverageCertificate = {
    proven: { found: 0, missing: 0 },
    drifted: { found: 0, missing: 0 },
    unsplittable: { found: 0, missing: 0 },
    unproven: { found: 0, missing: 0 },
    carried: { found: root.carried, missing: 0 },
    gone: Math.max(0, root.distinct + root.carried - root.total),
  };
  for (const proof of proofs.values()) certificate[proof].found += 1;
  certificate.unproven.found = root.distinct - proofs.size;
  let left = missingOf(root);
  for (const name of ['unsplittable', 'unproven', 'drifted'] as const) {
    const named = why.reduce((sum, gap) => sum + (gap.class === name ? gap.missing : 0), 0);
    certificate[name].missing = Math.min(left, named);
    left -= certificate[name].missing;
  }
  certificate.drifted.missing += left;
  return certificate;
}
