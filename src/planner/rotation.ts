import { categoricalField } from './split-field.js';
import { askedFacts } from './calibration/dimension-facts.js';
import { isFixed } from './calibration/calibrate-dimension.js';
import { factsOf, GOOD_REACH, type Choice } from './calibration/choose-dimension.js';
import type { CrawlState } from './crawl-state.js';
import { askFirst } from './questions.js';
import { canonicalJson } from '../core/canonical-json.js';
import { enumerate, splitBy } from './split.js';
import { fork, join, type Task } from './tasks.js';
import { missingOf, type Segment } from './tree.js';
import { isRefused, type CategoricalDimension, type Dimension, type PageAnswer, type Rotation } from './types.js';

// Largest share of the market's companies that may be added or removed between two requests. This is an assumption.
const DRIFT = 0.001;
const DRIFT_FLOOR = 5;

/** The dimension of a rotation. Each part of the rotation is a group of values of this dimension. */
interface Turns extends Choice {
  dimension: CategoricalDimension;
}

/**
 * One side of the market: either tonight's part of the rotation, or all other parts together. Holds the dimension's
 * values on this side, and the segment that they select.
 */
interface Side {
  values: readonly unknown[];
  segment: Segment;
  first: PageAnswer;
}

/**
 * Searches a market above the page cap as one night of the rotation. Searches tonight's part completely. In the other
 * parts, searches only the companies with a date. There, a company without a date is carried over if an earlier night
 * found it; otherwise it is reported as missing.
 * @returns the segment of the other parts; null, before any search, if the whole market must be searched
 */
export function* searchInTurns(state: CrawlState): Task<Segment | null> {
  const { root } = state.tree;
  const rotation = state.input.known?.rotation;
  if (!rotation || root.total <= state.cap || root.total >= state.totalsCap) return null;
  const known = state.input.dimensions.filter(({ key }) => state.input.known?.calibration?.dimensions[key]);
  for (const dimension of known) yield* factsOf(state, dimension);
  const dated = datedChoice(state);
  const turns = turnsOf(state);
  if (!dated || !turns || rotationKey(turns, rotation.of) !== rotation.key) return null;
  const [tonight, others] = yield* askSides(state, turns, rotation);
  const sum = (tonight?.first.total ?? 0) + (others?.first.total ?? 0);
  if (!others || Math.abs(sum - root.total) > Math.max(DRIFT_FLOOR, DRIFT * root.total)) return null;

  root.splitBy.push(turns.dimension.key);
  const rest = state.input.dimensions.filter((dimension) => dimension !== turns.dimension);
  const work = [yield* fork(searchDated(state, others, dated, within(state, turns, others, rest), rotation.of))];
  if (tonight) {
    const { segment, first } = tonight;
    work.push(yield* fork(enumerate(state, segment, first, within(state, turns, tonight, rest), null)));
  }
  yield* join(work);
  root.state = 'remainder';
  return others.segment;
}

/**
 * Returns which parts of the rotation this run searched completely, for later nights. Returns null if the market has no
 * rotation.
 */
export function turnsTaken(state: CrawlState, inTurns: boolean): { key: string; searched: number[] } | null {
  const of = state.input.remainderNights ?? 1;
  const turns = turnsOf(state);
  if (of < 2 || !turns || !datedChoice(state)) return null;
  const all = Array.from({ length: of }, (_, part) => part);
  return { key: rotationKey(turns, of), searched: inTurns ? [state.input.known!.rotation!.part] : all };
}

/**
 * Returns the first date dimension in which most, but not all, companies of the market have a value. Returns null if
 * there is none.
 */
function datedChoice(state: CrawlState): Choice | null {
  for (const [dimension, { result: facts }] of state.facts) {
    const isDate = dimension.kind === 'range' && dimension.type === 'date';
    if (isDate && facts && !facts.complete && facts.share >= GOOD_REACH) return { dimension, facts };
  }
  return null;
}

/**
 * Returns the dimension for a rotation: every company must have a value in it, and a search must accept several values.
 * Of several such dimensions, returns the one with the most values.
 */
function turnsOf(state: CrawlState): Turns | null {
  const all = [...state.facts].flatMap(([dimension, { result: facts }]): Turns[] => {
    if (dimension.kind !== 'categorical' || !facts || !state.input.dimensions.includes(dimension)) return [];
    const { splitField, complete } = facts;
    const serves = complete && splitField.windows && !splitField.overlapping && splitField.hi > splitField.lo;
    return serves && !isFixed(dimension, state.input.filters) ? [{ dimension, facts }] : [];
  });
  const size = ({ facts: { splitField } }: Turns): number => splitField.hi - splitField.lo;
  return all.sort((a, b) => size(b) - size(a) || (a.dimension.key < b.dimension.key ? -1 : 1))[0] ?? null;
}

/**
 * Returns the key that identifies a rotation. Another dimension, other values or another number of parts start a new
 * rotation.
 */
function rotationKey({ facts: { splitField } }: Turns, of: number): string {
  return canonicalJson([splitField.key, splitField.filter({ from: splitField.lo, to: splitField.hi }), of]);
}

/**
 * Requests two totals: of tonight's part, and of all other parts together. A side without values is null. Each value
 * belongs to the same part every night.
 */
function* askSides(
  state: CrawlState,
  { dimension }: Turns,
  { part, of }: Rotation,
): Task<[tonight: Side | null, others: Side | null]> {
  const own = state.input.filters[dimension.key];
  const values = Array.isArray(own) ? own : dimension.values;
  const sides: (Side | null)[] = [];
  for (const [isTonight, name] of [
    [true, `part ${part + 1} of ${of}`],
    [false, 'other parts'],
  ] as const) {
    const some = values.filter((_, i) => (i % of === part) === isTonight);
    const filter = categoricalField(dimension, some, true).filter({ from: 0, to: some.length - 1 });
    const segment = some.length > 0 ? state.tree.child(state.tree.root, dimension.key, filter, name) : null;
    const first = segment ? yield* askFirst(state, segment, 'segment') : null;
    // Mark the segment as a calibration segment until its search starts. If the totals of both sides do not add up to
    // the market's total, the run does not use the segment and searches the whole market instead.
    if (segment) segment.state = 'calibration';
    sides.push(segment && first && !isRefused(first) ? { values: some, segment, first } : null);
  }
  return [sides[0]!, sides[1]!];
}

/**
 * Returns the dimensions along which the segment of one side may be split: the dimension of the rotation, but only with
 * the values of this side, and all other dimensions.
 */
function within(
  state: CrawlState,
  { dimension, facts }: Turns,
  { values }: Side,
  rest: readonly Dimension[],
): Dimension[] {
  if (values.length < 2) return [...rest];
  const part = { ...dimension, values };
  const splitField = categoricalField(part, values, true);
  const known = askedFacts(splitField, [{ from: splitField.lo, to: splitField.hi, count: 1 }], facts.share, true);
  state.facts.set(part, { done: true, result: known });
  return [part, ...rest];
}

/** Searches the companies with a date on one side. Leaves those without a date to later nights. */
function* searchDated(
  state: CrawlState,
  { segment, first }: Side,
  dated: Choice,
  dimensions: readonly Dimension[],
  of: number,
): Task<void> {
  if (first.total <= state.cap) {
    yield* enumerate(state, segment, first, dimensions, null);
    return;
  }
  segment.splitBy.push(dated.dimension.key);
  const rest = dimensions.filter((dimension) => dimension !== dated.dimension);
  yield* splitBy(state, { segment, choice: dated, rest, hunt: null });
  segment.postponed = true;
  segment.shortfall = `split by ${dated.dimension.key}; each night searches one of ${of} parts for the companies without a value, and this segment holds the other parts`;
  state.tree.settle(segment, missingOf(segment) > 0 ? 'remainder' : 'split');
}
