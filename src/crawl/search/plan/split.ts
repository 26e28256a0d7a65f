import { chooseDimension } from './calibration/choose-dimension.js';
import type { DimensionFacts } from './calibration/dimension-facts.js';
import type { CrawlState, Hunt } from './crawl-state.js';
import { plainReason } from '../../../../schemas/pipeline/reason.js';
import { goesOn, readLeaf, readTop } from './leaf.js';
import { BEYOND_REASON, countHunted, newIn, noteGap, type SplitStep } from './second-pass.js';
import { Sweep } from './sweep.js';
import { askFirst } from './questions.js';
import { lostOf, missingOf, type Segment } from './tree.js';
import { isRefused, type Dimension, type PageAnswer, type Window } from './types.js';
import { SURPLUS } from './tolerances.js';

// A sweep requests one window after another. Cut a long sweep into parts that run in parallel, one part per this many
// windows, up to MOST_PARTS.
const WINDOWS_PER_PART = 30;
const MOST_PARTS = 16;
// In a second pass, check after every LOOK_EVERY leaves whether all missing companies were found.
const LOOK_EVERY = 4;
// Expected relative error of a window's predicted count if the warehouse knows the distribution: for the whole market,
// and for a part of the market.
const WARM_ERROR = 0.004;
const WARM_PART_ERROR = 0.06;
// The totals of the parts may exceed the total of the whole by this number, too.
const SURPLUS_FLOOR = 5;

/**
 * Finds every company of a segment. `first` is its page 1. If the segment is at or below the page cap, reads all pages.
 * Otherwise splits the segment.
 */
export async function enumerate(
  state: CrawlState,
  segment: Segment,
  first: PageAnswer,
  dimensions: readonly Dimension[],
  hunt: Hunt | null,
): Promise<void> {
  if (state.isBeyondReason) {
    segment.shortfall = BEYOND_REASON;
    state.tree.settle(segment, 'truncated');
    return;
  }
  const most = hunt && (await countHunted(state, segment, hunt));
  if (hunt && most !== null && most <= newIn(segment, hunt)) {
    passBy(segment);
    return;
  }
  if (isVisible(state, segment, first.total) && !(await goesOn(state, segment, first))) {
    if (await readLeaf(state, segment, first)) return;
  }
  const facts = await chooseDimension(state, first.total, dimensions, most ?? undefined);
  if (!facts) {
    await readTop(state, segment, first);
    segment.shortfall = { code: 'page_cap', values: { most: state.cap, total: segment.total } };
    state.tree.settle(segment, missingOf(segment) > 0 ? 'truncated' : 'leaf');
    return;
  }
  const { key, overlapping } = facts.splitField;
  const rest = dimensions.filter((dimension) => dimension.key !== key);
  segment.splitBy.push(key);
  await splitBy(state, { segment, facts, rest, hunt });
  // Children with overlapping values may miss the same companies, so separate gaps would count them several times.
  if (overlapping) segment.merged = 'overlap';
  noticeCappedTotals(state, segment, facts, countOf(segment));
  if (isCapped(state, segment)) countByChildren(state, segment, facts);
  if (lostOf(segment) > 0 || segment.uncounted) {
    const reached = [...(hunt?.reached ?? []), facts];
    await noteGap(state, { segment, first, reached, rest, outer: hunt && { ...hunt, most } });
  }
  if (segment.merged || segment.notes.length > 0) segment.shortfall ??= segment.notes[0] ?? plainReason('unlisted');
  state.tree.settle(segment, missingOf(segment) > 0 && (segment.merged || lostOf(segment) > 0) ? 'remainder' : 'split');
}

/**
 * Returns whether the pages of one search show all companies of the segment. If the market's total equals the page cap,
 * returns false, because the API may cap totals there.
 */
function isVisible(state: CrawlState, { parent }: Segment, total: number): boolean {
  return (
    total < Math.min(state.cap, state.totalsCap) || (total === state.cap && parent !== null && total < state.totalsCap)
  );
}

/** Returns whether a segment's total is capped, so that it only means "at least this many". */
function isCapped(state: CrawlState, segment: Segment): boolean {
  return segment.total >= state.totalsCap;
}

/**
 * Detects that the API caps totals: the parts share no company, but together they have more companies than the market's
 * total.
 */
function noticeCappedTotals(state: CrawlState, segment: Segment, { splitField }: DimensionFacts, sum: number): void {
  if (segment.parent || splitField.overlapping) return;
  if (sum > segment.total * (1 + SURPLUS) + SURPLUS_FLOOR) state.noteCappedTotals(segment.total);
}

/**
 * Sets the total of a segment to the sum of its parts, because the API caps its total. Companies that are in none of
 * the parts are not counted.
 */
function countByChildren(state: CrawlState, segment: Segment, { splitField }: DimensionFacts): void {
  const sum = splitField.overlapping ? 0 : countOf(segment);
  segment.total = Math.max(segment.total, sum, segment.distinct);
  segment.uncounted = true;
  segment.notes.push({ code: 'totals_capped', values: { most: state.totalsCap } });
}

/** Returns the sum of the totals of a segment's parts. */
function countOf(segment: Segment): number {
  return segment.children.reduce((total, child) => total + (child.state === 'calibration' ? 0 : child.total), 0);
}

/**
 * Splits a segment along a dimension: sweeps it, in several parts at the same time, and searches each window. Adds the
 * found companies to the segment.
 */
export async function splitBy(state: CrawlState, step: SplitStep): Promise<void> {
  const { segment, facts, enough } = step;
  const { nullValue, splitField } = facts;
  const counted = countedLeaves(state, segment, facts);
  const parts = counted.map((window) => searchPart(state, step, splitField.filter(window), splitField.name(window)));
  for (const window of partsOf(state, segment, facts, enough !== undefined))
    parts.push(...around(window, counted).map((part) => sweep(state, step, part)));
  if (nullValue !== undefined) parts.push(searchPart(state, step, nullValue, 'none'));
  await Promise.all(parts);
}

/** Searches one part of a segment, unless the API refuses it. `value` is the filter value that selects the part. */
async function searchPart(state: CrawlState, step: SplitStep, value: unknown, name: string): Promise<void> {
  const child = state.tree.child(step.segment, step.facts.splitField.key, value, name);
  const first = await askFirst(state, child, 'segment');
  if (!isRefused(first)) await enumerate(state, child, first, step.rest, step.hunt);
}

async function sweep(
  state: CrawlState,
  { segment, facts, rest, hunt, enough }: SplitStep,
  part: Window,
): Promise<void> {
  const { splitField, shape, share } = facts;
  const walk = new Sweep({
    shape,
    ...part,
    expected: segment.total * share,
    cap: state.cap,
    most: () =>
      isCapped(state, segment)
        ? Infinity
        : segment.total * (splitField.overlapping ? splitField.hi - splitField.lo + 1 : 2) + state.cap,
    totalsCap: () => state.totalsCap,
    windows: splitField.windows,
    ...(segment.parent ? {} : { size: state.size }),
    ordered: splitField.ordered,
    // The distribution in the warehouse describes the whole market. For a part of the market, it is less exact.
    ...(facts.exact ? { error: segment.parent ? WARM_PART_ERROR : WARM_ERROR } : {}),
  });
  let open: Promise<void>[] = [];
  for (let window = walk.next(); window; window = walk.next()) {
    if (state.isBeyondReason) {
      segment.notes.push(BEYOND_REASON);
      break;
    }
    const child = state.tree.child(segment, splitField.key, splitField.filter(window), splitField.name(window));
    const first = await askFirst(state, child, 'segment');
    if (isRefused(first)) {
      segment.notes.push({
        code: 'part_refused',
        values: { dimension: splitField.key, part: splitField.name(window) },
      });
      walk.skip();
    } else if (walk.learn(first.total) === 'narrow') {
      passBy(child);
    } else {
      open.push(state.requests.watch(enumerate(state, child, first, rest, hunt)));
      noticeCappedTotals(state, segment, facts, walk.accepted);
    }
    if (enough && open.length >= LOOK_EVERY) {
      await Promise.all(open);
      open = [];
      if (enough()) return;
    }
  }
  if (walk.gaveUp) segment.notes.push({ code: 'totals_contradict', values: { dimension: splitField.key } });
  await Promise.all(open);
  segment.distinct = segment.found.size;
}

/** Marks a segment as a calibration segment. Moves its companies and its cost to its parent. */
function passBy(segment: Segment): void {
  segment.state = 'calibration';
  for (const id of segment.found) segment.parent!.found.add(id);
  segment.parent!.distinct = segment.parent!.found.size;
  segment.parent!.cost += segment.cost;
}

/** Returns the windows whose count in calibration is at or below the page cap. Their page 1 is already known. */
function countedLeaves(state: CrawlState, segment: Segment, { asked = [] }: DimensionFacts): Window[] {
  if (segment.parent) return [];
  return asked.filter(({ count }) => count <= state.cap && count < state.totalsCap);
}

/** Removes the windows `taken` from the window `part`. Returns the windows that remain. */
function around(part: Window, taken: readonly Window[]): Window[] {
  const left: Window[] = [];
  let { from } = part;
  for (const window of taken) {
    if (window.to < from || window.from > part.to) continue;
    if (window.from > from) left.push({ from, to: window.from - 1 });
    from = window.to + 1;
  }
  return from <= part.to ? [...left, { from, to: part.to }] : left;
}

/** Cuts a dimension into parts that hold about the same number of companies. */
function partsOf(state: CrawlState, segment: Segment, facts: DimensionFacts, oneByOne: boolean): Window[] {
  const { splitField, shape, share } = facts;
  const expected = segment.total * share;
  const points = splitField.hi - splitField.lo + 1;
  let parts = oneByOne ? 1 : splitField.windows ? Math.floor(expected / state.cap / WINDOWS_PER_PART) : points;
  // Use at least two parts: a single window over the whole range would select the same companies as no filter.
  if (expected <= state.cap) parts = Math.max(2, parts);
  parts = Math.min(MOST_PARTS, points, Math.max(1, parts));
  const windows: Window[] = [];
  let from = splitField.lo;
  for (let i = 1; i <= parts && from <= splitField.hi; i++) {
    const to =
      i === parts ? splitField.hi : Math.min(splitField.hi - 1, Math.max(from, shape.reach(splitField.lo, i / parts)));
    if (to < from) continue;
    windows.push({ from, to });
    from = to + 1;
  }
  return windows;
}
