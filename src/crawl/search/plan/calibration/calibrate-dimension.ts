import { categoricalField, type SplitField } from '../split-field.js';
import type { CrawlState } from '../crawl-state.js';
import { firstDay, midyear, yearOf } from '../days.js';
import { halvesOf, type Counted } from '../shape.js';
import { askedFacts, buildSplitField, type DimensionFacts, type Outcome } from './dimension-facts.js';
import { recallDimension } from '../known-market.js';
import { askAgain, guessNullValue, probe, probePair, type Pair } from '../questions.js';
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

// If a single position of a dimension holds this share of the market, a split along the dimension is useless.
const DOMINANT = 0.97;
// Test at most this many single values. If the API filters by none of them, the dimension is unusable.
const MOST_SINGLES = 6;
// Test whether ranges include their bounds only in markets of at least this many times the page cap. In smaller
// markets, the test costs more requests than it saves.
const BOUNDS_WORTH = 20;

/**
 * Finds out how the API filters by a dimension. Returns null if the dimension is unusable.
 */
export async function calibrateDimension(state: CrawlState, dimension: Dimension): Promise<DimensionFacts | null> {
  const outcome =
    recallDimension(state, dimension) ??
    (dimension.kind === 'range' ? await calibrateRange(state, dimension) : await calibrateCategories(state, dimension));
  state.outcomes.set(dimension.key, outcome);
  return 'unusable' in outcome ? null : outcome;
}

async function calibrateCategories(state: CrawlState, dimension: CategoricalDimension): Promise<Outcome> {
  const own = state.input.filters[dimension.key];
  const values = Array.isArray(own) ? own : dimension.values;
  if (values.length < 2) return { unusable: `${dimension.key} has fewer than two values to split by` };
  const together = await calibrateWindows(state, categoricalField(dimension, values, true));
  return together ?? (await calibrateSingles(state, categoricalField(dimension, values, false)));
}

/** Calibrates a dimension if a search for several values means "or". Otherwise returns null. */
async function calibrateWindows(state: CrawlState, splitField: SplitField): Promise<Outcome | null> {
  const total = marketTotal(state);
  const halves = await probePair(state, splitField, halvesOf(splitField));
  if ('unusable' in halves) return null;
  const most = Math.max(...halves.counts.map(({ count }) => count));
  if (halves.counts.every(({ count }) => count >= total) && meet(halves))
    return { unusable: `the API ignores ${splitField.key}` };
  if (!splitField.overlapping && halves.sum > total * (1 + SURPLUS)) state.noteCappedTotals(total);
  let whole = halves.sum;
  if (whole !== total || state.totalsCap <= total) {
    const all = await probe(state, splitField, { from: splitField.lo, to: splitField.hi });
    if (isRefused(all)) return null;
    const more = all.total < state.totalsCap && all.total > most;
    if (!more && !(await provesOr(state, splitField))) return null;
    whole = all.total;
  }
  if (whole === 0) return null;
  const overlapping = splitField.overlapping || (whole < state.totalsCap && halves.sum > whole * (1 + SURPLUS));
  return await factsFrom(state, { ...splitField, overlapping }, whole, halves.counts);
}

/**
 * Returns whether a search for two neighbouring values finds more companies than a search for either one of them. Skips
 * pairs whose totals are capped.
 */
async function provesOr(state: CrawlState, splitField: SplitField): Promise<boolean> {
  for (const at of spread(splitField.hi, MOST_SINGLES)) {
    const both = await probe(state, splitField, { from: at, to: at + 1 });
    if (isRefused(both)) return false;
    if (both.total === 0 || both.total >= state.totalsCap) continue;
    const one = await probe(state, splitField, { from: at, to: at });
    const other = await probe(state, splitField, { from: at + 1, to: at + 1 });
    if (isRefused(one) || isRefused(other)) return false;
    if (one.total > 0 && other.total > 0) return both.total > Math.max(one.total, other.total);
  }
  return false;
}

/**
 * Calibrates a dimension if a search can select only one of its values. Does not test whether the values together cover
 * the market.
 */
async function calibrateSingles(state: CrawlState, splitField: SplitField): Promise<Outcome> {
  const { key, hi } = splitField;
  const total = marketTotal(state);
  let filters = false;
  let finds = false;
  let earlier: PageAnswer | null = null;
  for (const at of spread(hi + 1, MOST_SINGLES)) {
    const answer = await probe(state, splitField, { from: at, to: at });
    if (isRefused(answer)) return { unusable: `the API refused ${key} (${answer.refused})` };
    // If totals are capped, all large searches report the same total. So compare the listed companies instead.
    filters ||=
      answer.total < total || (earlier !== null && total >= state.totalsCap && !meet({ pages: [earlier, answer] }));
    earlier = answer;
    finds ||= answer.total > 0;
    if (filters && finds)
      return askedFacts(splitField, [{ from: 0, to: hi, count: total }], 1, total < state.totalsCap);
  }
  return { unusable: finds ? `the API ignores ${key}` : `${key} finds no company by the values tried` };
}

/** Returns up to `most` numbers from 0 to n-1, spread evenly. */
function spread(n: number, most: number): number[] {
  return Array.from({ length: Math.min(n, most) }, (_, i) => Math.floor((i * n) / Math.min(n, most)));
}

async function calibrateRange(state: CrawlState, dimension: RangeDimension): Promise<Outcome> {
  if (dimension.type !== 'date')
    return await calibrateSides(state, dimension, buildSplitField(state, dimension, 'day'));
  let unusable: { unusable: string } | undefined;
  for (const wanted of ['day', 'year', 'year-as-text'] as const) {
    const tested = await testDateFormat(state, dimension, wanted);
    if ('unusable' in tested) {
      unusable ??= tested;
      continue;
    }
    const splitField = buildSplitField(state, dimension, tested.format);
    const outcome = await calibrateSides(state, dimension, splitField);
    if ('unusable' in outcome) {
      unusable ??= outcome;
      continue;
    }
    if (outcome.complete || !(await findBounds(state, splitField, tested))) return { ...outcome, ...tested };
    return await calibrateRange(state, dimension);
  }
  return unusable!;
}

/** A date format that the API accepts. `asked` holds the windows that the test of the format counted. */
interface TestedFormat {
  format: DateFormat;
  asked?: readonly Counted[];
}

/**
 * Tests a date format with two neighbouring windows, such as the two halves of a year. If both windows list the same
 * company, the API ignores the filter or compares only the years.
 */
async function testDateFormat(
  state: CrawlState,
  dimension: RangeDimension,
  format: DateFormat,
): Promise<TestedFormat | { unusable: string }> {
  const splitField = buildSplitField(state, dimension, format);
  const total = marketTotal(state);
  for (const windows of neighbours(splitField, format)) {
    const pair = await probePair(state, splitField, windows);
    if ('unusable' in pair) return pair;
    if (pair.sum === 0) continue;
    if (!meet(pair)) return { format, asked: pair.counts };
    if (pair.counts.every(({ count }) => count >= total)) return { unusable: `the API ignores ${dimension.key}` };
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
async function findBounds(
  state: CrawlState,
  splitField: SplitField,
  { format, asked }: TestedFormat,
): Promise<boolean> {
  const [first, second] = asked ?? [];
  if (!first || !second || format !== 'day' || state.bounds !== 'inclusive') return false;
  if (marketTotal(state) < BOUNDS_WORTH * state.cap) return false;
  const both = await probe(state, splitField, { from: first.from, to: second.to });
  if (isRefused(both) || both.total <= first.count + second.count) return false;
  // The window has more companies than both parts together. Either the API leaves out the bounds, or a company was added
  // meanwhile. So search for the single day at the bound. If this finds companies, the API includes bounds.
  const day = await probe(state, splitField, { from: first.to, to: first.to });
  if (isRefused(day) || day.total > 0) return false;
  const days = await probe(state, splitField, { from: first.to, to: second.from });
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
async function calibrateSides(
  state: CrawlState,
  { key, nullValue }: RangeDimension,
  splitField: SplitField,
): Promise<Outcome> {
  if (splitField.lo >= splitField.hi) return { unusable: `the market's own filter leaves no range of ${key} to split` };
  const total = marketTotal(state);
  const halves = await probePair(state, splitField, halvesOf(splitField));
  if ('unusable' in halves) return halves;
  if (halves.sum === 0) return { unusable: `${key} finds no company` };
  if (halves.sum > total * (1 + SURPLUS)) {
    // The two halves together have more companies than the market. So the API ignores the filter, or it caps its
    // totals.
    const narrow = await probe(state, splitField, { from: splitField.lo + 1, to: splitField.lo + 1 });
    if (meet(halves) || isRefused(narrow) || narrow.total >= total) return { unusable: `the API ignores ${key}` };
    state.noteCappedTotals(total);
  }
  const found = await factsFrom(state, splitField, halves.sum, halves.counts);
  if ('unusable' in found || found.complete || nullValue === undefined) return found;
  // If the market has a filter on this dimension, don't send the null value, because it would replace that filter.
  if (state.input.filters[key] !== undefined) return found;
  const without = await guessNullValue(state, key, nullValue);
  if (isRefused(without) || without.total === 0) return found;
  // If the API ignores the null value, the search selects every company. Then the sum exceeds the market's total.
  const sum = without.total + halves.sum;
  const believed = sum <= total * (1 + DRIFT) && (await covers(state, sum));
  return believed ? { ...found, complete: true, nullValue } : found;
}

/**
 * Derives the facts of a dimension from `counts`: which windows hold companies, and which share of the companies has a
 * value. Requests no further counts, because they would cost more requests than they save (`npm run bench -- planner`).
 */
async function factsFrom(
  state: CrawlState,
  splitField: SplitField,
  whole: number,
  counts: readonly Counted[],
): Promise<Outcome> {
  const total = marketTotal(state);
  if (total >= state.totalsCap) return askedFacts(splitField, counts, 1, false);
  const dominant = counts.find((c) => c.from === c.to && c.count >= DOMINANT * total);
  if (dominant) return { unusable: `nearly all companies have ${splitField.key} ${splitField.name(dominant)}` };
  const complete = await covers(state, whole);
  return askedFacts(splitField, counts, complete ? 1 : whole / total, complete);
}

/** Returns the market's total. It is at most `totalsCap`. */
function marketTotal({ tree, totalsCap }: CrawlState): number {
  return Math.min(tree.root.total, totalsCap);
}

/** Returns whether two pages list the same company. */
function meet({ pages: [a, b] }: Pick<Pair, 'pages'>): boolean {
  const ids = new Set(a.ids);
  return b.ids.some((id) => ids.has(id));
}

/**
 * Returns whether `count` companies are the whole market. If the difference is small, first requests the market's total
 * again.
 */
async function covers(state: CrawlState, count: number): Promise<boolean> {
  const { root } = state.tree;
  if (count >= root.total) return true;
  if (count < root.total * (1 - DRIFT)) return false;
  const again = await askAgain(state, root);
  return !isRefused(again) && count >= again.total;
}
