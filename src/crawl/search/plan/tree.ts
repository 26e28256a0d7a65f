import type { SpokenReason } from '../../../../schemas/pipeline/reason.js';
import type { SegmentRecord } from '../../../../schemas/pipeline/landing.js';
import { isUsable } from '../../../base/company-id.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import type { PageAnswer } from './types.js';

/** A search with one set of filters, and its results. */
export class Segment {
  readonly depth: number;
  /** The total that the API last reported. */
  total = 0;
  /**
   * Ids of the companies that this segment, or a segment split from it, has listed. When this segment gets its final
   * state, the ids move to its parent, unless `kept` is true.
   */
  found = new Set<string>();
  /** Whether `found` stays here for a second pass. */
  kept = false;
  /**
   * Number of found companies, including unusable ids. The search continues while `distinct` is below `total`. Does not
   * change when the ids of `found` move to the parent.
   */
  distinct = 0;
  /** Number of found companies whose id the warehouse cannot hold. Coverage counts them as missing. */
  unusable = 0;
  /** Number of rows on this segment's own pages, including repeated rows. */
  rows = 0;
  pages = 0;
  /** Number of pages requested for this segment and for the segments split from it. */
  cost = 0;
  /** Final state. Null until the segment is completely searched or becomes a calibration segment. */
  state: SegmentRecord['state'] | null = null;
  readonly splitBy: string[] = [];
  children: Segment[] = [];
  /** Why companies are missing in this segment. Null where the children give the reasons. */
  shortfall: SpokenReason | null = null;
  /** Whether this segment may have companies that its total does not count. */
  uncounted = false;
  /**
   * Why missing companies cannot be assigned to single children: values overlap, or there were splits along several
   * dimensions. Null if they can.
   */
  merged: 'overlap' | 'passes' | null = null;
  /** Problems during the split. */
  readonly notes: SpokenReason[] = [];

  constructor(
    readonly id: string,
    readonly parent: Segment | null,
    readonly filters: Record<string, unknown>,
  ) {
    this.depth = parent ? parent.depth + 1 : 0;
    parent?.children.push(this);
  }
}

/**
 * How the search found a company, best proof first:
 * - proven: in a leaf that lists as many companies as its total says.
 * - moved: in a leaf that changed while it was read.
 * - unsplittable: in a search above the page cap.
 */
export const PROOFS = ['proven', 'moved', 'unsplittable'] as const;
export type Proof = (typeof PROOFS)[number];
const PROOF_OF: Partial<Record<SegmentRecord['state'], Proof>> = {
  leaf: 'proven',
  moved: 'moved',
  truncated: 'unsplittable',
};

/** All segments of a plan. The root's `found` holds every id of the market. */
export class SegmentTree {
  private readonly all = new Map<string, Segment>();
  /** For each company that a leaf listed, the best proof (see `PROOFS`). */
  readonly proofs = new Map<string, Proof>();
  /** Keys of companies whose ids the warehouse cannot hold. */
  readonly unusable = new Set<string>();
  readonly root: Segment;

  constructor(filters: Record<string, unknown>) {
    this.root = this.add(new Segment('root', null, filters));
  }

  /**
   * Returns the child of a segment that has one more filter: `value` under `key`. The same filters always give the same
   * segment.
   */
  child(parent: Segment, key: string, value: unknown, name: string): Segment {
    const filters = { ...parent.filters, [key]: value };
    let id = `${parent.id}/${key}=${name}`;
    // The number 2020 and the text "2020" have the same name, but are different filters.
    for (let known = this.all.get(id); known; known = this.all.get(id)) {
      if (canonicalJson(known.filters) === canonicalJson(filters)) return known;
      id += "'";
    }
    return this.add(new Segment(id, parent, filters));
  }

  /** Adds the segment for version 1's listing. Its filters are written differently from the root's. */
  listing(filters: Record<string, unknown>): Segment {
    return this.add(new Segment('root/v1', this.root, filters));
  }

  /** Adds the companies of an answer to the market's found companies. */
  note(keys: readonly string[]): void {
    for (const key of keys) {
      this.root.found.add(key);
      if (!isUsable(key)) this.unusable.add(key);
    }
    this.root.distinct = this.root.found.size;
    this.root.unusable = this.unusable.size;
  }

  /** Gives a segment its final state. Adds its companies and its cost to its parent. */
  settle(segment: Segment, state: SegmentRecord['state']): void {
    segment.state = state;
    segment.distinct = segment.found.size;
    segment.unusable = this.countUnusable(segment.found);
    const proof = PROOF_OF[state];
    if (proof !== undefined) {
      for (const id of segment.found) {
        if (this.unusable.has(id)) continue;
        const known = this.proofs.get(id);
        if (known === undefined || PROOFS.indexOf(proof) < PROOFS.indexOf(known)) this.proofs.set(id, proof);
      }
    }
    const { parent } = segment;
    if (!parent) return;
    if (parent.found.size === 0 && parent.parent && !segment.kept) parent.found = segment.found;
    else for (const id of segment.found) parent.found.add(id);
    parent.distinct = parent.found.size;
    parent.cost += segment.cost;
    if (!segment.kept) segment.found = new Set();
  }

  /** Returns the records of all segments that have a final state. The same answers always give the same order. */
  records(): SegmentRecord[] {
    return [...this.all.values()]
      .filter((segment) => segment.state !== null)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((segment) => ({
        segment: segment.id,
        parent: segment.parent?.id ?? null,
        filters: segment.filters,
        total_reported: segment.total,
        rows_fetched: segment.rows,
        distinct_companies: segment.distinct - segment.unusable,
        pages: segment.pages,
        depth: segment.depth,
        state: segment.state === 'leaf' && segment.unusable > 0 ? 'unusable' : segment.state!,
        split_by: segment.splitBy.length > 0 ? segment.splitBy.join(', ') : null,
      }));
  }

  private countUnusable(keys: ReadonlySet<string>): number {
    if (this.unusable.size === 0) return 0;
    let count = 0;
    for (const key of keys) if (this.unusable.has(key)) count++;
    return count;
  }

  private add(segment: Segment): Segment {
    this.all.set(segment.id, segment);
    return segment;
  }
}

/** Adds to a segment a page that its own search returned. */
export function addPage(segment: Segment, page: PageAnswer): void {
  segment.total = page.total;
  segment.rows += page.ids.length;
  segment.pages += 1;
  segment.cost += 1;
  for (const id of page.ids) segment.found.add(id);
  segment.distinct = segment.found.size;
}

/** Returns how many companies of a segment the API counts but did not list. */
export function missingOf({ total, distinct }: Segment): number {
  return Math.max(0, total - distinct);
}

/** Returns how many companies are missing in a segment, minus those that are missing in its children. */
export function lostOf(segment: Segment): number {
  const below = segment.children.reduce(
    (sum, child) => sum + (child.state === 'calibration' ? 0 : missingOf(child)),
    0,
  );
  return Math.max(0, missingOf(segment) - below);
}
