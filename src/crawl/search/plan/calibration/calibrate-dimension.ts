import { categoricalField, type SplitField } from '../split-field.js';
import type { CrawlState } from '../crawl-state.js';
import { firstDay, midyear, yearOf } from '../days.js';
import { halve, type Counted } from '../shape.js';
import { asObject, askedFacts, buildSplitField, type DimensionFacts } from './dimension-facts.js';
import { recallDimension } from '../known-market.js';
import { askAgain, guessNullValue, probing } from '../questions.js';
import type { Task } from '../tasks.js';
import {
  isRefused,
  type CategoricalDimension,
  type DateFormat,
  type Dimension,
  type PageAnswer,
  type RangeDimension,
  type Window,
} from '../types.js';
import { DRIFT, SURPLUS } from '../tolerances.js';

/** What calibration found out about a dimension, or the reason why the dimension is unusable. */
type Outcome = DimensionFacts | { unusable: string };

// If a single position of a dimension holds this share of the market, a split along the dimension is useless.
const DOMINANT = 0.97;
// Test at most this many single values. If the API filters by none of them, the dimension is unusable.
const MOST_SINGLES = 6;
// Test whether ranges include their bounds only in markets of at least this many times the page cap. In smaller
// markets, the test costs more requests than it saves.
const BOUNDS_WORTH = 20;

/**
 * Finds out how the API filters by a dimension. Returns null if the dimension is unusable; `state.dropped` then holds
 * the reason.
 */
export function* calibrateDimension(state: CrawlState, dimension: Dimension): Task<DimensionFacts | null> {
  const outcome =
    recallDimension(state, dimension) ??
    (dimension.kind === 'range'
      ? yield* calibrateRange(state, dimension)
      : yield* calibrateCategories(state, dimension));
  if (!('unusable' in outcome)) return outcome;
  state.dropped.set(dimension.key, outcome.unusable);
  return null;
}

/** Returns whether the market's own filter leaves only one value of the dimension. Sends no request. */
export function isFixed(dimension: Dimension, filters: Record<string, unknown>): boolean {
  const own = filters[dimension.key];
  if (own === undefined) return false;
  if (dimension.kind === 'categorical') return !Array.isArray(own) || own.length < 2;
  return asObject(own) === null;
}

function* calibrateCategories(state: CrawlState, dimension: CategoricalDimension): Task<Outcome> {
  const own = state.input.filters[dimension.key];
  const values = Array.isArray(own) ? own : dimension.values;
  if (values.length < 2) return { unusable: `${dimension.key} has fewer than two values to split by` };
  const splitField = categoricalField(dimension, values, true);
  const probe = probing(state, splitField);
  const total = marketTotal(state);

  const middle = Math.floor((splitField.hi - 1) / 2);
  const left = yield* probe({ from: 0, to: middle });
  const right = yield* probe({ from: middle + 1, to: splitField.hi });
  if (isRefused(left) || isRefused(right)) return yield* calibrateSingles(state, dimension, values);
  if (left.total >= total && right.total >= total && meet(left, right))
    return { unusable: `the API ignores ${dimension.key}` };
  if (!splitField.overlapping && left.total + right.total > total * (1 + SURPLUS)) state.noteCappedTotals(total);
  let whole = left.total + right.total;
  if (whole !== total || state.totalsCap <= total) {
    const all = yield* probe({ from: 0, to: splitField.hi });
    // A search for several values must mean "or". If the API refuses several values, search for single values.
    if (isRefused(all)) return yield* calibrateSingles(state, dimension, values);
    const more = all.total < state.totalsCap && all.total > Math.max(left.total, right.total);
    if (!more && !(yield* provesOr(state, splitField))) return yield* calibrateSingles(state, dimension, values);
    whole = all.total;
  }
  if (whole === 0) return yield* calibrateSingles(state, dimension, values);
  return yield* factsFrom(
    state,
    {
      ...splitField,
      overlapping: splitField.overlapping || (whole < state.totalsCap && left.total + right.total > whole * 1.01),
    },
    whole,
    [
      { from: 0, to: middle, count: left.total },
      { from: middle + 1, to: splitField.hi, count: right.total },
    ],
  );
}

/**
 * Returns whether a search for two neighbouring values finds more companies than a search for either one of them. Skips
 * pairs whose totals are capped.
 */
function* provesOr(state: CrawlState, splitField: SplitField): Task<boolean> {
  const probe = probing(state, splitField);
  for (const at of spread(splitField.hi, MOST_SINGLES)) {
    const both = yield* probe({ from: at, to: at + 1 });
    if (isRefused(both)) return false;
    if (both.total === 0 || both.total >= state.totalsCap) continue;
    const one = yield* probe({ from: at, to: at });
    const other = yield* probe({ from: at + 1, to: at + 1 });
    if (isRefused(one) || isRefused(other)) return false;
    if (one.total > 0 && other.total > 0) return both.total > Math.max(one.total, other.total);
  }
  return false;
}

/**
 * Calibrates a dimension if a search can select only one of its values. Does not test whether the values together cover
 * the market.
 */
function* calibrateSingles(
  state: CrawlState,
  dimension: CategoricalDimension,
  values: readonly unknown[],
): Task<Outcome> {
  const splitField = categoricalField(dimension, values, false);
  const probe = probing(state, splitField);
  const total = marketTotal(state);
  let filters = false;
  let finds = false;
  let earlier: PageAnswer | null = null;
  for (const at of spread(values.length, MOST_SINGLES)) {
    const answer = yield* probe({ from: at, to: at });
    if (isRefused(answer)) return { unusable: `the API refused ${dimension.key} (${answer.refused})` };
    // If totals are capped, all large searches report the same total. So compare the listed companies instead.
    filters ||= answer.total < total || (earlier !== null && total >= state.totalsCap && !meet(earlier, answer));
    earlier = answer;
    finds ||= answer.total > 0;
    if (filters && finds) {
      const counts = [{ from: 0, to: splitField.hi, count: total }];
      const complete = total < state.totalsCap;
      return askedFacts(splitField, counts, 1, complete);
    }
  }
  return {
    unusable: finds ? `the API ignores ${dimension.key}` : `${dimension.key} finds no company by the values tried`,
  };
}

/** Returns up to `most` numbers from 0 to n-1, spread evenly. */
function spread(n: number, most: number): number[] {
  return Array.from({ length: Math.min(n, most) }, (_, i) => Math.floor((i * n) / Math.min(n, most)));
}

function* calibrateRange(state: CrawlState, dimension: RangeDimension): Task<Outcome> {
  const own = asObject(state.input.filters[dimension.key]) ?? {};
  if (dimension.type !== 'date')
    return yield* calibrateSides(state, dimension, buildSplitField(state, dimension, own, 'day'));
  const reasons: string[] = [];
  for (const format of ['day', 'year', 'year-as-text'] as const) {
    const understood = yield* testDateFormat(state, dimension, own, format);
    if (!('unusable' in understood)) {
      const splitField = buildSplitField(state, dimension, own, understood.format);
      const outcome = yield* calibrateSides(state, dimension, splitField);
      if (!('unusable' in outcome)) {
        if (outcome.complete || !(yield* findBounds(state, splitField, understood)))
          return { ...outcome, ...understood };
        return yield* calibrateRange(state, dimension);
      }
      reasons.push(outcome.unusable);
    } else reasons.push(understood.unusable);
  }
  return { unusable: reasons[0]! };
}

/** A date format that the API accepts. `asked` holds the windows that the test of the format counted. */
interface Understood {
  format: DateFormat;
  asked?: readonly Counted[];
}

/**
 * Tests a date format with two neighbouring windows, such as the two halves of a year. If both windows list the same
 * company, the API ignores the filter or compares only the years.
 */
function* testDateFormat(
  state: CrawlState,
  dimension: RangeDimension,
  own: Record<string, unknown>,
  format: DateFormat,
): Task<Understood | { unusable: string }> {
  const splitField = buildSplitField(state, dimension, own, format);
  const probe = probing(state, splitField);
  const total = marketTotal(state);
  for (const [first, second] of neighbours(splitField, format)) {
    const left = yield* probe(first);
    if (isRefused(left)) return { unusable: `the API refused ${dimension.key} (${left.refused})` };
    const right = yield* probe(second);
    if (isRefused(right)) return { unusable: `the API refused ${dimension.key} (${right.refused})` };
    if (left.total + right.total === 0) continue;
    if (!meet(left, right)) {
      const asked = [
        { ...first, count: left.total },
        { ...second, count: right.total },
      ];
      return { format, asked };
    }
    if (left.total >= total && right.total >= total) return { unusable: `the API ignores ${dimension.key}` };
    if (format === 'day') return { format: 'year-as-dates' };
    return { unusable: `${dimension.key} cannot separate neighbouring years` };
  }
  return { unusable: `${dimension.key} finds no company in any year tried` };
}

/**
 * Tests whether the API excludes values that are equal to a bound. Compares the total of a window with the totals of
 * its two halves. If the window has more companies, the API excludes bounds: sets `state.bounds` and returns true. The
 * caller must then calibrate again.
 */
function* findBounds(state: CrawlState, splitField: SplitField, { format, asked }: Understood): Task<boolean> {
  const [first, second] = asked ?? [];
  if (!first || !second || format !== 'day' || state.bounds !== 'inclusive') return false;
  if (marketTotal(state) < BOUNDS_WORTH * state.cap) return false;
  const probe = probing(state, splitField);
  const both = yield* probe({ from: first.from, to: second.to });
  if (isRefused(both) || both.total <= first.count + second.count) return false;
  // The window has more companies than both parts together. Either the API leaves out the bounds, or a company was added
  // meanwhile. So search for the single day at the bound. If this finds companies, the API includes bounds.
  const day = yield* probe({ from: first.to, to: first.to });
  if (isRefused(day) || day.total > 0) return false;
  const days = yield* probe({ from: first.to, to: second.from });
  state.bounds = !isRefused(days) && days.total > 0 ? 'half-open' : 'exclusive';
  return true;
}

/**
 * Returns pairs of neighbouring windows for the test. The windows that are most likely to hold companies come first.
 */
function neighbours(splitField: SplitField, format: DateFormat): [Window, Window][] {
  const lastYear = format === 'day' ? yearOf(splitField.hi) : splitField.hi;
  const years = [4, 12, 30, 1, 0, 60].map((ago) => lastYear - ago);
  const inside = (window: Window): Window => ({
    from: Math.max(splitField.lo, window.from),
    to: Math.min(splitField.hi, window.to),
  });
  return years
    .map((year): [Window, Window] =>
      format === 'day'
        ? [
            inside({ from: firstDay(year, 1), to: midyear(year) - 1 }),
            inside({ from: midyear(year), to: firstDay(year + 1, 1) - 1 }),
          ]
        : [inside({ from: year - 1, to: year - 1 }), inside({ from: year, to: year })],
    )
    .filter((pair) =>
      pair.every((window) => window.from <= window.to && (window.from > splitField.lo || window.to < splitField.hi)),
    );
}

/**
 * Counts both halves of a range. The totals show whether the API filters by the dimension, and how many companies have
 * a value.
 */
function* calibrateSides(state: CrawlState, dimension: RangeDimension, splitField: SplitField): Task<Outcome> {
  if (splitField.lo >= splitField.hi)
    return { unusable: `the market's own filter leaves no range of ${dimension.key} to split` };
  const probe = probing(state, splitField);
  const total = marketTotal(state);
  const middle = halve(splitField, { from: splitField.lo, to: splitField.hi });
  const left = yield* probe({ from: splitField.lo, to: middle });
  if (isRefused(left)) return { unusable: `the API refused ${dimension.key} (${left.refused})` };
  const right = yield* probe({ from: middle + 1, to: splitField.hi });
  if (isRefused(right)) return { unusable: `the API refused ${dimension.key} (${right.refused})` };
  const whole = left.total + right.total;
  if (whole === 0) return { unusable: `${dimension.key} finds no company` };
  if (whole > total * (1 + SURPLUS)) {
    // The two halves together have more companies than the market. So the API ignores the filter, or it caps its
    // totals.
    const narrow = yield* probe({ from: splitField.lo + 1, to: splitField.lo + 1 });
    if (meet(left, right) || isRefused(narrow) || narrow.total >= total)
      return { unusable: `the API ignores ${dimension.key}` };
    state.noteCappedTotals(total);
  }
  const found = yield* factsFrom(state, splitField, whole, [
    { from: splitField.lo, to: middle, count: left.total },
    { from: middle + 1, to: splitField.hi, count: right.total },
  ]);
  if ('unusable' in found || found.complete || dimension.nullValue === undefined) return found;
  // If the market has a filter on this dimension, don't send the null value, because it would replace that filter.
  if (state.input.filters[dimension.key] !== undefined) return found;
  const without = yield* guessNullValue(state, splitField, dimension.nullValue);
  if (isRefused(without) || without.total === 0) return found;
  // If the API ignores the null value, the search selects every company. Then the sum exceeds the market's total.
  const sum = without.total + whole;
  const believed = sum <= total * (1 + DRIFT) && (yield* covers(state, sum));
  return believed ? { ...found, complete: true, nullValue: dimension.nullValue } : found;
}

/**
 * Derives the facts of a dimension from `counts`: which windows hold companies, and which share of the companies has a
 * value. Requests no further counts, because they would cost more requests than they save (`npm run bench -- planner`).
 */
function* factsFrom(state: CrawlState, splitField: SplitField, whole: number, counts: Counted[]): Task<Outcome> {
  const total = marketTotal(state);
  if (total >= state.totalsCap) return askedFacts(splitField, counts, 1, false);
  const dominant = counts.find((c) => c.from === c.to && c.count >= DOMINANT * total);
  if (dominant) return { unusable: `nearly all companies have ${splitField.key} ${splitField.name(dominant)}` };
  const complete = yield* covers(state, whole);
  return askedFacts(splitField, counts, complete ? 1 : whole / total, complete);
}

/** Returns the market's total. It is at most `totalsCap`. */
function marketTotal({ tree, totalsCap }: CrawlState): number {
  return Math.min(tree.root.total, totalsCap);
}

/** Returns whether two pages list the same company. */
function meet(a: PageAnswer, b: PageAnswer): boolean {
  const ids = new Set(a.ids);
  return b.ids.some((id) => ids.has(id));
}

/**
 * Returns whether `count` companies are the whole market. If the difference is small, first requests the market's total
 * again.
 */
function* covers(state: CrawlState, count: number): Task<boolean> {
  const { root } = state.tree;
  if (count >= root.total) return true;
  if (count < root.total * (1 - DRIFT)) return false;
  const again = yield* askAgain(state, root);
  return !isRefused(again) && count >= again.total;
}
