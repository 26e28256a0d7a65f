import type { CoverageCertificate, CoverageRecord } from '../../schemas/pipeline/landing.js';
import { faultOf, type IdFault } from '../core/company-id.js';
import { formatCount } from '../../schemas/format.js';
import { missingOf, type Segment, type SegmentTree } from './tree.js';

export interface CoverageInput {
  market: string;
  tree: SegmentTree;
  /** The market's total in the first answer; null before the first answer. */
  firstTotal: number | null;
  done: boolean;
  /** Unusable dimensions, each with its reason. */
  dropped: ReadonlyMap<string, string>;
}

type Gap = CoverageRecord['why'][number];

/**
 * Describes how many companies a run found in a market, how each of them is proven, and where companies are missing.
 * Companies with unusable ids count as missing, too. The gaps may add up to slightly more than `missing`, because a
 * company that is missing in one segment may have been found in another.
 */
export function describeCoverage(input: CoverageInput): CoverageRecord {
  const { market, tree, firstTotal } = input;
  const { root } = tree;
  const found = root.distinct - root.unusable;
  const missing = Math.max(0, root.total - found);
  const why = gapsOf(input, missing);
  return {
    market,
    reported_total: root.total,
    distinct_companies: found,
    missing,
    share: shareOf(root, found, firstTotal),
    why,
    certificate: certify(tree, why, missing),
  };
}

/** Returns the share of the market's companies that were found; null if the API caps its total or contradicts it. */
function shareOf({ total, uncounted }: Segment, found: number, firstTotal: number | null): number | null {
  if (firstTotal === null) return 0;
  if (uncounted) return null;
  return total === 0 ? 1 : Math.min(1, found / total);
}

function gapsOf({ tree, firstTotal, done, dropped }: CoverageInput, missing: number): Gap[] {
  const { root } = tree;
  const why: Gap[] = [];
  const whole = { segment: root.id, filters: root.filters, missing, class: 'unproven' as const };
  if (!done) {
    why.push({ ...whole, reason: 'the crawl has not ended' });
  } else if (firstTotal === null) {
    why.push({ ...whole, reason: root.shortfall ?? 'the API stated no total' });
  } else {
    const grown =
      firstTotal === root.total ? '' : ` (${formatCount(firstTotal)} at first, ${formatCount(root.total)} at the end)`;
    explain(root, why, `the market's total changed while it was read${grown}`);
    if (why.length === 0 && (root.state === 'remainder' || root.state === 'truncated')) why.push(uncertain(root));
  }
  // Each gap also names the unusable dimensions: a split along one of them might have found the missing companies.
  const unusable = dropped.size > 0 ? ` (could not be used: ${[...dropped.values()].sort().join('; ')})` : '';
  return [...why.map((gap) => ({ ...gap, reason: gap.reason + unusable })), ...unusableIds(tree)];
}

/**
 * Returns the gap of a market that was not searched completely, although the number of found companies equals the total.
 * A new company may hide a missing one in the count.
 */
function uncertain(root: Segment): Gap {
  return {
    segment: root.id,
    filters: root.filters,
    missing: 0,
    reason: `${root.shortfall ?? 'the search was not complete'}; so companies may be missing although the totals are equal`,
    class: classOf(root),
  };
}

const ID_FAULTS: Record<IdFault, string> = {
  no_id: 'companies listed without an id',
  unusable_id: 'companies with ids that the warehouse cannot store (it stores whole numbers, BIGINT)',
  duplicate_key: 'companies listed with a repeated key',
};

/** Returns a gap for each kind of unusable id, with its number of companies. */
function unusableIds({ root, unusable }: SegmentTree): Gap[] {
  const read = [...unusable].map(faultOf);
  return (Object.keys(ID_FAULTS) as IdFault[]).flatMap((fault): Gap[] => {
    const examples = read.flatMap((one) => (one.fault === fault ? [one.example] : [])).toSorted();
    if (examples.length === 0) return [];
    return [
      {
        segment: root.id,
        filters: root.filters,
        missing: examples.length,
        reason: `${ID_FAULTS[fault]}: ${formatCount(examples.length)}, such as ${examples[0]}; ops.rejects lists each`,
        class: 'unusable',
      },
    ];
  });
}

/** Adds to `why` a gap for the missing companies of a segment. Names the deepest segment that must contain them. */
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
  for (const child of unproven)
    explain(child, why, 'companies were added, removed or moved while this segment was read');
}

function classOf({ state, shortfall }: Segment): Gap['class'] {
  if (state === 'truncated') return 'unsplittable';
  return state === 'drifted' || shortfall === null ? 'drifted' : 'unproven';
}

/**
 * Counts each company once. A found company counts under the first class of `PROOFS` that applies to it. A missing
 * company counts under the class of its gap.
 */
function certify({ root, proofs }: SegmentTree, why: readonly Gap[], missing: number): CoverageCertificate {
  const found = root.distinct - root.unusable;
  const certificate: CoverageCertificate = {
    proven: { found: 0, missing: 0 },
    drifted: { found: 0, missing: 0 },
    unsplittable: { found: 0, missing: 0 },
    unproven: { found: found - proofs.size, missing: 0 },
    unusable: { found: 0, missing: 0 },
    gone: Math.max(0, found - root.total),
  };
  for (const proof of proofs.values()) certificate[proof].found += 1;
  let left = missing;
  for (const name of ['unusable', 'unsplittable', 'unproven', 'drifted'] as const) {
    const named = why.reduce((sum, gap) => sum + (gap.class === name ? gap.missing : 0), 0);
    certificate[name].missing = Math.min(left, named);
    left -= certificate[name].missing;
  }
  certificate.drifted.missing += left;
  return certificate;
}
