import type { SegmentRecord } from '../../schemas/pipeline/landing.js';
import { isUsable } from '../core/company-id.js';
import { canonicalJson } from './request-key.js';
import type { PageAnswer } from './types.js';

/** A segment of the crawl: one set of filters and what was found under it. */
export interface Segment {
  id: string;
  parent: Segment | null;
  filters: Record<string, unknown>;
  depth: number;
  /** As last reported. */
  total: number;
  /** Companies listed at or below, given up when the segment is settled and its parent has taken them, unless `kept`. */
  found: Set<string>;
  kept: boolean;
  /** Size of `found`: it decides what is searched on. */
  distinct: number;
  /** Of those, how many have ids that the warehouse cannot hold: they are listed, yet missing. */
  unusable: number;
  /** Companies below that earlier nights found and that were not asked for in this run, and since when they are known. */
  carried: number;
  carriedSince: string | null;
  /** True when the search for its companies without a date is left to later nights. */
  postponed: boolean;
  /** Rows of this segment's own pages, repetitions included. */
  rows: number;
  pages: number;
  /** Pages asked at or below. */
  cost: number;
  state: SegmentRecord['state'] | null;
  splitBy: string[];
  children: Segment[];
  /** Why companies are missing here, in words; null where its children explain it. */
  shortfall: string | null;
  /** True when companies without a value may lie here that no total tells of. */
  uncounted: boolean;
  /** True when several dimensions were tried here, so that what is missing cannot be told child by child. */
  merged: boolean;
  /** What went wrong while splitting, in words. */
  notes: string[];
}

/** What listed a company, best first: a leaf that was proven, one that moved, a search above the cap. */
export const PROOFS = ['proven', 'drifted', 'unsplittable'] as const;
export type Proof = (typeof PROOFS)[number];
const PROOF_OF: Partial<Record<SegmentRecord['state'], Proof>> = {
  leaf: 'proven',
  drifted: 'drifted',
  truncated: 'unsplittable',
};

/** All segments of a plan. The root's id set holds every id of the market. */
export class SegmentTree {
  private readonly all = new Map<string, Segment>();
  /** The best proof of each company that some leaf listed. */
  readonly proofs = new Map<string, Proof>();
  /** Companies with ids that the warehouse cannot hold, by the keys that stand in for them. */
  readonly unusable = new Set<string>();
  readonly root: Segment;

  constructor(filters: Record<string, unknown>) {
    this.root = this.make('root', null, filters);
  }

  /** A child whose one further filter is `value` under `key`. The same window twice is the same segment. */
  child(parent: Segment, key: string, value: unknown, name: string): Segment {
    const filters = { ...parent.filters, [key]: value };
    let id = `${parent.id}/${key}=${name}`;
    // 2020 as a number and as text read the same; their filters tell them apart.
    for (let known = this.all.get(id); known; known = this.all.get(id)) {
      if (canonicalJson(known.filters) === canonicalJson(filters)) return known;
      id += "'";
    }
    const child = this.make(id, parent, filters);
    parent.children.push(child);
    return child;
  }

  /** The market as version 1 lists it: its filters are not the root's. */
  listing(filters: Record<string, unknown>): Segment {
    const segment = this.make('root/v1', this.root, filters);
    this.root.children.push(segment);
    return segment;
  }

  /** Notes what an answer listed, whichever segment it belongs to. */
  note(keys: readonly string[]): void {
    for (const key of keys) {
      this.root.found.add(key);
      if (!isUsable(key)) this.unusable.add(key);
    }
    this.root.distinct = this.root.found.size;
    this.root.unusable = this.unusable.size;
  }

  /** Ends a segment: its parent takes over what it found and what it cost. */
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

  /** Records in an order that does not depend on the crawl's timing. */
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
        carried: segment.carried,
        carried_since: segment.carriedSince,
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

  private make(id: string, parent: Segment | null, filters: Record<string, unknown>): Segment {
    const segment: Segment = {
      id,
      parent,
      filters,
      depth: parent ? parent.depth + 1 : 0,
      total: 0,
      found: new Set(),
      kept: false,
      distinct: 0,
      unusable: 0,
      carried: 0,
      carriedSince: null,
      postponed: false,
      rows: 0,
      pages: 0,
      cost: 0,
      state: null,
      splitBy: [],
      children: [],
      shortfall: null,
      uncounted: false,
      merged: false,
      notes: [],
    };
    this.all.set(id, segment);
    return segment;
  }
}

/** Adds a page of a segment's own search. */
export function addPage(segment: Segment, page: PageAnswer): void {
  segment.total = page.total;
  segment.rows += page.ids.length;
  segment.pages += 1;
  segment.cost += 1;
  for (const id of page.ids) segment.found.add(id);
  segment.distinct = segment.found.size;
}

/** Companies the API counts under a segment that were not listed there. */
export function missingOf({ total, distinct }: Segment): number {
  return Math.max(0, total - distinct);
}

/** Companies missing that none of the children misses: those that lie in no child at all. */
export function lostOf(segment: Segment): number {
  const below = segment.children.reduce(
    (sum, child) => sum + (child.state === 'calibration' ? 0 : missingOf(child)),
    0,
  );
  return Math.max(0, missingOf(segment) - below);
}
