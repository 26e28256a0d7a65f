import { dayNumber, dayText, firstDay, yearOf } from './days.js';
import type { Bounds, CategoricalDimension, DateFormat, RangeDimension, Window } from './types.js';

/**
 * A filter that splits searches, such as the date of incorporation. Each of its values has a number from `lo` to `hi`,
 * its position. A window is a range of positions.
 */
export interface SplitField {
  key: string;
  lo: number;
  hi: number;
  /** Whether a search can select several positions at once. */
  windows: boolean;
  /** Whether neighbouring positions are related, so that the count of one helps to predict the count of the next. */
  ordered: boolean;
  /** Whether a company can have several values. It is then found at several positions. */
  overlapping: boolean;
  /**
   * Maps a position to a coordinate along which companies are spread about evenly. An estimate is enough, because it
   * only helps to choose the size of windows.
   */
  coord(position: number): number;
  /** Returns the value of the filter that selects a window. */
  filter(window: Window): unknown;
  /**
   * Filter value with which one search selects every company that has any value of this field (for a range: any value
   * from `lo` to `hi`). Null if the API has no such filter value.
   */
  everybody: unknown;
  /** Returns a short name of a window for segment ids. */
  name(window: Window): string;
}

// The number of registrations grows over the decades. So `coord` grows exponentially: by the factor e in this many
// years.
const GROWTH_YEARS = 20;
const DECIMALS = 100;

/** Assigns a position to each value of a list. */
export function categoricalField(
  dimension: CategoricalDimension,
  values: readonly unknown[],
  windows: boolean,
): SplitField {
  const { list } = dimension;
  const say = (some: readonly unknown[]): unknown => (list === undefined ? some : { [list]: some });
  return {
    key: dimension.key,
    lo: 0,
    hi: values.length - 1,
    windows,
    ordered: false,
    overlapping: dimension.overlapping ?? false,
    coord: (position) => position,
    filter: ({ from, to }) => say(values.slice(from, to + 1)),
    everybody: windows ? say(values) : null,
    name: ({ from, to }) =>
      from === to ? valueName(values[from]) : `${valueName(values[from])}..${valueName(values[to])}`,
  };
}

/** The first and last position of a range, and the bounds that the API includes. */
interface RangeLimits {
  min: number;
  max: number;
  format: DateFormat;
  bounds?: Bounds | undefined;
}

/**
 * Assigns positions to the days, years or numbers of a range.
 * - The first window has no lower bound and the last window has no upper bound. So the windows cover all values.
 * - A bound of the market's own filter (`own`) is sent as written.
 * - If the API excludes values equal to a bound, the bounds are moved outwards by one position.
 */
export function rangeField(
  dimension: RangeDimension,
  own: Record<string, unknown>,
  { min, max, format, bounds = 'inclusive' }: RangeLimits,
): SplitField {
  const scale = scaleOf(dimension, format);
  const ownMin = scale.parse(own['gte'], 'first');
  const ownMax = scale.parse(own['lte'], 'last');
  const lo = ownMin ?? Math.min(min, ownMax ?? min);
  const hi = Math.max(lo, ownMax ?? Math.max(max, lo));
  const gteOf = (from: number): unknown => scale.say(bounds === 'exclusive' ? from - 1 : from, 'first');
  const lteOf = (to: number): unknown => scale.say(bounds === 'inclusive' ? to : to + 1, 'last');
  return {
    key: dimension.key,
    lo,
    hi,
    windows: true,
    ordered: true,
    overlapping: false,
    coord: (position) => scale.coord(position, hi),
    filter: ({ from, to }) => {
      const gte = from > lo ? gteOf(from) : own['gte'];
      const lte = to < hi ? lteOf(to) : own['lte'];
      return {
        ...own,
        ...(gte === undefined ? {} : { gte }),
        ...(lte === undefined ? {} : { lte }),
      };
    },
    everybody: { gte: gteOf(lo), lte: lteOf(hi), ...own },
    name: ({ from, to }) => {
      const first = from > lo || own['gte'] !== undefined ? String(scale.say(from, 'first')) : '';
      const last = to < hi || own['lte'] !== undefined ? String(scale.say(to, 'last')) : '';
      return first === last ? first : `${first}..${last}`;
    },
  };
}

/** Returns the position of a bound in a filter. Returns undefined if the bound is unreadable. */
export function positionOf(
  dimension: RangeDimension,
  format: DateFormat,
  bound: unknown,
  end: 'first' | 'last',
): number | undefined {
  return scaleOf(dimension, format).parse(bound, end);
}

interface Scale {
  coord(position: number, hi: number): number;
  /** Returns the bound to send to the API. `end` says whether it is the first or the last position of a window. */
  say(position: number, end: 'first' | 'last'): unknown;
  parse(bound: unknown, end: 'first' | 'last'): number | undefined;
}

function scaleOf(dimension: RangeDimension, format: DateFormat): Scale {
  if (dimension.type === 'date') return format === 'day' ? daysScale : yearsScale(format);
  return numbersScale(dimension.type === 'decimal' ? DECIMALS : 1);
}

// Few companies register on weekends. WEEKEND is the weight of a Saturday or Sunday, where an average day has the
// weight 1. `PASSED[d]` is the weight of all days of the week before day d; Monday is day 0.
const WEEKEND = 0.14;
const WEEKDAY = (7 - 2 * WEEKEND) / 5;
const PASSED = [0, 1, 2, 3, 4, 5].map((days) => days * WEEKDAY).concat(5 * WEEKDAY + WEEKEND);

/** Maps a day to a number, so that registrations are spread evenly along these numbers, even at weekends. */
function evenDay(day: number): number {
  const monday = Math.floor((day + 3) / 7) * 7 - 3; // 1970-01-01, day 0, was a Thursday
  return monday + PASSED[day - monday]!;
}

const daysScale: Scale = {
  coord: (day, hi) => Math.exp((evenDay(day) - hi) / (365 * GROWTH_YEARS)),
  say: (day) => dayText(day),
  parse(bound, end) {
    const year = asYear(bound);
    if (year !== undefined) return end === 'first' ? firstDay(year, 1) : firstDay(year + 1, 1) - 1;
    return typeof bound === 'string' ? dayNumber(bound) : undefined;
  },
};

function yearsScale(format: DateFormat): Scale {
  return {
    coord: (year, hi) => Math.exp((year - hi) / GROWTH_YEARS),
    say(year, end) {
      if (format === 'year') return year;
      const text = String(year).padStart(4, '0');
      if (format === 'year-as-text') return text;
      return end === 'first' ? `${text}-01-01` : `${text}-12-31`;
    },
    parse(bound) {
      const year = asYear(bound);
      if (year !== undefined) return year;
      const day = typeof bound === 'string' ? dayNumber(bound) : undefined;
      return day === undefined ? undefined : yearOf(day);
    },
  };
}

/**
 * Assigns positions to whole numbers, or to steps of 1/`parts`. The coordinate is logarithmic, because some amounts and
 * head counts are thousands of times larger than others.
 */
function numbersScale(parts: number): Scale {
  return {
    coord: (position) => Math.sign(position) * Math.log1p(Math.abs(position) / parts),
    say: (position) => position / parts,
    parse(bound, end) {
      const value = typeof bound === 'string' && bound.trim() !== '' ? Number(bound) : bound;
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
      return end === 'first' ? Math.ceil(value * parts) : Math.floor(value * parts);
    },
  };
}

function asYear(bound: unknown): number | undefined {
  if (typeof bound === 'number' && Number.isInteger(bound) && bound > 0 && bound < 10_000) return bound;
  return typeof bound === 'string' && /^\d{4}$/.test(bound) ? Number(bound) : undefined;
}

function valueName(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
