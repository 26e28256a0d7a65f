import { chooseAxis, type Choice } from './choose-axis.js';
import type { CrawlState } from './crawl-state.js';
import { goesOn, readLeaf, readTop } from './leaf.js';
import { countHunted, newIn, type Hunt } from './hunt.js';
import { BEYOND_REASON, isBeyondReason } from './fence.js';
import { recover } from './second-pass.js';
import { Sweep } from './sweep.js';
import { askFirst } from './questions.js';
import { fork, join, type Fiber, type Task } from './tasks.js';
import { lostOf, missingOf, type Segment } from './tree.js';
import { isRefused, type Dimension, type PageAnswer, type Window } from './types.js';

// A sweep is one question after the other; long ones are cut into parts that run side by side.
const WINDOWS_PER_PART = 30;
const MOST_PARTS = 16;
// Leaves between two looks at whether a second pass has found everybody.
const LOOK_EVERY = 4;
// How far off windows are that the warehouse's own distribution aims.
const WARM_ERROR = 0.004;
const WARM_PART_ERROR = 0.06;
// Parts may hold this much more than the whole because companies came while they were read.
const SURPLUS = 0.01;
const SURPLUS_FLOOR = 5;

/** Finds every company of a segment whose page 1 is known: a leaf is read, anything larger is split. */
export function* enumerate(
  state: CrawlState,
  segment: Segment,
  first: PageAnswer,
  dimensions: readonly Dimension[],
  hunt: Hunt | null,
): Task<void> {
  if (isBeyondReason(state)) {
    segment.shortfall = BEYOND_REASON;
    state.tree.settle(segment, 'truncated');
    return;
  }
  const hunted = hunt && (yield* countHunted(state, segment, hunt));
  if (hunt && hunted !== null && hunted <= newIn(segment, hunt)) {
    passBy(segment);
    return;
  }
  if (isVisible(state, segment, first.total) && !(yield* goesOn(state, segment, first))) {
    if (yield* readLeaf(state, segment, first)) return;
  }
  const choice = yield* chooseAxis(state, first.total, dimensions, hunted ?? undefined);
  if (!choice) {
    yield* readTop(state, segment, first);
    segment.shortfall = `a search shows ${state.cap} companies and this one has ${segment.total}; no dimension is left to split it by`;
    state.tree.settle(segment, missingOf(segment) > 0 ? 'truncated' : 'leaf');
    return;
  }
  const rest = dimensions.filter((d) => d !== choice.dimension);
  segment.splitBy.push(choice.dimension.key);
  yield* splitBy(state, segment, choice, rest, hunt);
  if (choice.facts.axis.overlapping) mergeChildren(segment);
  noticeCappedTotals(state, segment, choice, countOf(segment));
  if (isCapped(state, segment)) countByChildren(state, segment, choice);
  if (lostOf(segment) > 0 || segment.uncounted) {
    const split = { segment, first, choice, rest, explain: () => explainSplit(segment) };
    yield* recover(state, split, hunt && { ...hunt, hunted }, splitBy);
  }
  if (segment.merged || segment.notes.length > 0) segment.shortfall ??= explainSplit(segment);
  state.tree.settle(segment, missingOf(segment) > 0 && (segment.merged || lostOf(segment) > 0) ? 'remainder' : 'split');
}

/** Whether all of a segment can be seen. A market of exactly what a search shows may be one whose totals end there. */
function isVisible(state: CrawlState, { parent }: Segment, total: number): boolean {
  return (
    total < Math.min(state.cap, state.totalsCap) || (total === state.cap && parent !== null && total < state.totalsCap)
  );
}

/** Whether a segment's total only says that there are at least so many. */
function isCapped(state: CrawlState, segment: Segment): boolean {
  return segment.total >= state.totalsCap;
}

/** Disjoint parts that hold more than the market's total: that total is no count. */
function noticeCappedTotals(state: CrawlState, segment: Segment, { facts }: Choice, sum: number): void {
  if (segment.parent || facts.axis.overlapping) return;
  if (sum > segment.total * (1 + SURPLUS) + SURPLUS_FLOOR) state.noteCappedTotals(segment.total);
}

/** Where the API caps its totals, a segment has at least as many companies as its parts; who is in none is unknown. */
function countByChildren(state: CrawlState, segment: Segment, { facts }: Choice): void {
  const sum = facts.axis.overlapping ? 0 : countOf(segment);
  segment.total = Math.max(segment.total, sum, segment.distinct);
  segment.uncounted = true;
  segment.notes.push(`the API counts no further than ${state.totalsCap}`);
}

/** Companies that a segment's parts count. */
function countOf(segment: Segment): number {
  return segment.children.reduce((total, child) => total + (child.state === 'calibration' ? 0 : child.total), 0);
}

/** One sweep over an axis of a segment, in parts side by side; every window's companies are in the segment after it. */
export function* splitBy(
  state: CrawlState,
  segment: Segment,
  choice: Choice,
  rest: readonly Dimension[],
  hunt: Hunt | null,
  enough?: () => boolean,
): Task<void> {
  const fibers: Fiber<void>[] = [];
  const { nullValue, axis } = choice.facts;
  const counted = countedLeaves(state, segment, choice);
  for (const window of counted) {
    const child = state.tree.child(segment, axis.key, axis.filter(window), axis.name(window));
    const first = yield* askSegment(state, child);
    if (first) fibers.push(yield* fork(enumerate(state, child, first, rest, hunt)));
  }
  for (const part of partsOf(state, segment, choice, enough !== undefined).flatMap((whole) => around(whole, counted))) {
    fibers.push(yield* fork(sweep(state, segment, choice, part, rest, hunt, enough)));
  }
  if (nullValue !== undefined) {
    const child = state.tree.child(segment, axis.key, nullValue, 'none');
    const first = yield* askSegment(state, child);
    if (first) fibers.push(yield* fork(enumerate(state, child, first, rest, hunt)));
  }
  yield* join(fibers);
}

function* sweep(
  state: CrawlState,
  segment: Segment,
  choice: Choice,
  part: Window,
  rest: readonly Dimension[],
  hunt: Hunt | null,
  enough: (() => boolean) | undefined,
): Task<void> {
  const { axis, shape, share } = choice.facts;
  const walk = new Sweep({
    shape,
    ...part,
    expected: segment.total * share,
    cap: state.cap,
    most: () =>
      isCapped(state, segment) ? Infinity : segment.total * (axis.overlapping ? axis.hi - axis.lo + 1 : 2) + state.cap,
    totalsCap: () => state.totalsCap,
    windows: axis.windows,
    ...(segment.parent ? {} : { size: state.size }),
    ordered: axis.ordered,
    // The warehouse's shape is the whole market's: of a part of it only the rough outline holds.
    ...(choice.facts.exact ? { error: segment.parent ? WARM_PART_ERROR : WARM_ERROR } : {}),
  });
  let open: Fiber<void>[] = [];
  for (let window = walk.next(); window; window = walk.next()) {
    const child = state.tree.child(segment, axis.key, axis.filter(window), axis.name(window));
    const first = isBeyondReason(state) ? null : yield* askSegment(state, child);
    if (!first && isBeyondReason(state)) {
      segment.notes.push(BEYOND_REASON);
      break;
    }
    if (!first) {
      segment.notes.push(`${axis.key} ${axis.name(window)} was refused`);
      walk.skip();
    } else if (walk.learn(first.total) === 'narrow') {
      passBy(child);
    } else {
      open.push(yield* fork(enumerate(state, child, first, rest, hunt)));
      noticeCappedTotals(state, segment, choice, walk.accepted);
    }
    if (enough && open.length >= LOOK_EVERY) {
      yield* join(open);
      open = [];
      if (enough()) return;
    }
  }
  if (walk.gaveUp)
    segment.notes.push(`the totals along ${axis.key} contradicted each other, so its sweep stopped early`);
  yield* join(open);
  segment.distinct = segment.found.size;
}

/** Ends a segment that only told what it holds: its parent takes over what its page 1 listed. */
function passBy(segment: Segment): void {
  segment.state = 'calibration';
  for (const id of segment.found) segment.parent!.found.add(id);
  segment.parent!.distinct = segment.parent!.found.size;
  segment.parent!.cost += segment.cost;
}

/** Children that share companies miss some of them together: what is missing is told for all of them at once. */
function mergeChildren(segment: Segment): void {
  segment.merged = true;
  const [worst] = segment.children
    .filter((c) => c.state !== 'calibration')
    .sort((a, b) => missingOf(b) - missingOf(a) || (a.id < b.id ? -1 : 1));
  if (worst?.shortfall && missingOf(worst) > 0) segment.notes.push(`${worst.id}: ${worst.shortfall}`);
}

function explainSplit(segment: Segment): string {
  return [`split by ${segment.splitBy.join(', then ')}`, ...segment.notes.toSorted().slice(0, 3)].join('; ');
}

/** Page 1 of a child segment, null when it is refused. */
function* askSegment(state: CrawlState, child: Segment): Task<PageAnswer | null> {
  const answer = yield* askFirst(state, child, 'segment');
  return isRefused(answer) ? null : answer;
}

/** Windows that calibration asked of the market and that are leaves: their page 1 is there, and need not be aimed at. */
function countedLeaves(state: CrawlState, segment: Segment, { facts }: Choice): Window[] {
  if (segment.parent) return [];
  return (facts.asked ?? []).filter(({ count }) => count <= state.cap && count < state.totalsCap);
}

/** What is left of a part when windows are taken out of it. */
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

/** Cuts an axis into parts of about equal work. */
function partsOf(state: CrawlState, segment: Segment, { facts }: Choice, oneByOne: boolean): Window[] {
  const { axis, shape, share } = facts;
  const expected = segment.total * share;
  const points = axis.hi - axis.lo + 1;
  let parts = oneByOne ? 1 : axis.windows ? Math.floor(expected / state.cap / WINDOWS_PER_PART) : points;
  // A range's whole axis in one window would be no filter at all.
  if (expected <= state.cap) parts = Math.max(2, parts);
  parts = Math.min(MOST_PARTS, points, Math.max(1, parts));
  const windows: Window[] = [];
  let from = axis.lo;
  for (let i = 1; i <= parts && from <= axis.hi; i++) {
    const to = i === parts ? axis.hi : Math.min(axis.hi - 1, Math.max(from, shape.reach(axis.lo, i / parts)));
    if (to < from) continue;
    windows.push({ from, to });
    from = to + 1;
  }
  return windows;
}
