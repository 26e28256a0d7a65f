import type { CoverageCertificate, CoverageGap, CoverageRecord } from '../../../../schemas/pipeline/landing.js';
import { joinReasons, plainReason, withSentence, type SpokenReason } from '../../../../schemas/pipeline/reason.js';
import { faultOf, type IdFault } from '../../../base/company-id.js';
import type { CrawlState } from './crawl-state.js';
import { missingOf, type Segment, type SegmentTree } from './tree.js';

/** A gap with what the planner knows about it. */
type Gap = SpokenReason & Pick<CoverageGap, 'segment' | 'filters' | 'missing' | 'class' | 'also' | 'split_by'>;

/**
 * Describes how many companies a run found in a market, how each of them is proven, and where companies are missing.
 * Companies with unusable ids count as missing, too. The gaps may add up to slightly more than `missing`, because a
 * company that is missing in one segment may have been found in another.
 */
export function describeCoverage(state: CrawlState, done: boolean): CoverageRecord {
  const { tree, firstTotal } = state;
  const { root } = tree;
  const found = root.distinct - root.unusable;
  const missing = Math.max(0, root.total - found);
  const gaps = gapsOf(state, done, missing);
  // Each gap also names the unusable dimensions: a split along one of them might have found the missing companies.
  const reasons = [...state.outcomes.values()].flatMap((outcome) => ('unusable' in outcome ? outcome.unusable : []));
  const unusable = reasons.length > 0 ? { unusable: reasons.toSorted() } : {};
  return {
    market: state.input.market,
    reported_total: root.total,
    distinct_companies: found,
    missing,
    share: shareOf(root, found, firstTotal),
    why: gaps.map((gap) => ({ ...withSentence(gap, gap.missing), ...unusable })),
    causes: joinReasons(gaps),
    certificate: certify(tree, gaps, missing),
  };
}

/**
 * Returns the share of the market's companies that were found; null if the API caps its total or contradicts it. If none
 * was found, the share is 0, however many there are.
 */
function shareOf({ total, uncounted }: Segment, found: number, firstTotal: number | null): number | null {
  if (firstTotal === null || (found === 0 && total > 0)) return 0;
  if (uncounted) return null;
  return total === 0 ? 1 : Math.min(1, found / total);
}

function gapsOf({ tree, firstTotal }: CrawlState, done: boolean, missing: number): Gap[] {
  const { root, unusable } = tree;
  const whole = { segment: root.id, filters: root.filters };
  const why: Gap[] = [];
  if (!done || firstTotal === null) {
    const reason = done ? (root.shortfall ?? plainReason('no_total')) : plainReason('search_open');
    why.push({ ...whole, missing, class: 'unproven', ...reason });
  } else {
    const changed = { code: 'total_changed' as const, values: { first: firstTotal, last: root.total } };
    explain(root, why, firstTotal === root.total ? plainReason('moved') : changed);
    // The market was not searched completely, although the number of found companies equals the total. A new company may
    // hide a missing one in the count.
    if (why.length === 0 && (root.state === 'remainder' || root.state === 'truncated'))
      why.push({ ...whole, missing: 0, class: classOf(root), ...reasonOf(root, plainReason('unlisted')) });
  }
  const read = [...unusable].map(faultOf);
  for (const fault of ID_FAULTS) {
    const examples = read.flatMap((one) => (one.fault === fault ? [one.example] : [])).toSorted();
    if (examples.length === 0) continue;
    const values = { fault, companies: examples.length, example: examples[0]! };
    why.push({ ...whole, missing: examples.length, class: 'unusable', code: 'unusable_ids', values });
  }
  return why;
}

const ID_FAULTS: readonly IdFault[] = ['no_id', 'unusable_id', 'duplicate_key'];

/** Adds to `why` a gap for the missing companies of a segment. Names the deepest segment that must contain them. */
function explain(segment: Segment, why: Gap[], otherwise: SpokenReason): void {
  const missing = missingOf(segment);
  if (missing === 0 && !segment.uncounted) return;
  const unproven = segment.merged
    ? []
    : segment.children
        .filter((child) => child.state !== 'calibration' && (missingOf(child) > 0 || child.uncounted))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
  const here = missing - unproven.reduce((sum, child) => sum + missingOf(child), 0);
  if (here > 0 || segment.uncounted) {
    const { id, filters } = segment;
    const gap = { segment: id, filters, missing: Math.max(0, here), class: classOf(segment) };
    why.push({ ...gap, ...reasonOf(segment, otherwise) });
  }
  for (const child of unproven) explain(child, why, plainReason('moved'));
}

/**
 * Returns why companies of a segment are missing, with the other problems of its split. If values overlap, also
 * names the reason of the child that misses most.
 */
function reasonOf({ shortfall, notes, splitBy, merged, children }: Segment, otherwise: SpokenReason) {
  const main = shortfall ?? otherwise;
  const [worst] = children
    .filter(
      (child) =>
        merged === 'overlap' && child.state !== 'calibration' && child.shortfall !== null && missingOf(child) > 0,
    )
    .sort((a, b) => missingOf(b) - missingOf(a) || (a.id < b.id ? -1 : 1));
  const also = notes.filter((note) => note !== main).map((note) => withSentence(note));
  const below = worst?.shortfall ? [withSentence({ ...worst.shortfall, segment: worst.id })] : [];
  return {
    ...main,
    ...(also.length + below.length > 0 ? { also: [...also, ...below] } : {}),
    ...(splitBy.length > 0 ? { split_by: splitBy } : {}),
  };
}

function classOf({ state, shortfall }: Segment): Gap['class'] {
  if (state === 'truncated') return 'unsplittable';
  return state === 'moved' || shortfall === null ? 'moved' : 'unproven';
}

/**
 * Counts each company once. A found company counts under the first class of `PROOFS` that applies to it. A missing
 * company counts under the class of its gap.
 */
function certify({ root, proofs }: SegmentTree, why: readonly Gap[], missing: number): CoverageCertificate {
  const found = root.distinct - root.unusable;
  const certificate: CoverageCertificate = {
    proven: { found: 0, missing: 0 },
    moved: { found: 0, missing: 0 },
    unsplittable: { found: 0, missing: 0 },
    unproven: { found: found - proofs.size, missing: 0 },
    unusable: { found: 0, missing: 0 },
    gone: Math.max(0, found - root.total),
  };
  for (const proof of proofs.values()) certificate[proof].found += 1;
  let left = missing;
  for (const name of ['unusable', 'unsplittable', 'unproven', 'moved'] as const) {
    const named = why.reduce((sum, gap) => sum + (gap.class === name ? gap.missing : 0), 0);
    certificate[name].missing = Math.min(left, named);
    left -= certificate[name].missing;
  }
  certificate.moved.missing += left;
  return certificate;
}
