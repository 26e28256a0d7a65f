import { dayNumber, dayText, firstDay, yearOf } from './days.js';
import type { Bounds, CategoricalDimension, DateFormat, RangeDimension, Window } from './types.js';

/** A dimension as integer positions, with the way to say a window of them to the API. */
export interface Axis {
  key: string;
  lo: number;
  hi: number;
  /** False when a search can name only one position at a time. */
  windows: boolean;
  /** False when neighbouring positions have nothing to do with each other, so that one says nothing of the next. */
  ordered: boolean;
  /** A company may lie at several positions. */
  overlapping: boolean;
  /** A coordinate in which companies lie about evenly; need not be exact. */
  coord(position: number): number;
  /** The filter value that selects a window. */
  filter(window: Window): unknown;
  /**
   * The filter value that selects whoever has a value, in one search; null where there is none. Values beyond the ends of
   * a range are left out.
   */
  everybody: unknown;
  /** Short text of a window for segment ids. */
  name(window: Window): string;
}

// Registrations grow over the decades; with this time constant both old and young markets look nearly even.
const GROWTH_YEARS = 20;
const DECIMALS = 100;

/** Axis of listed values. */
export function categoricalAxis(dimension: CategoricalDimension, values: readonly unknown[], windows: boolean): Axis {
  const { form = 'array' } = dimension;
  const plain = form === 'value';
  const say = (some: readonly unknown[]): unknown => (typeof form === 'object' ? { [form.list]: some } : some);
  return {
    key: dimension.key,
    lo: 0,
    hi: values.length - 1,
    windows: windows && !plain,
    ordered: false,
    overlapping: dimension.overlapping ?? false,
    coord: (position) => position,
    filter: ({ from, to }) => (plain ? values[from] : say(values.slice(from, to + 1))),
    everybody: windows && !plain ? say(values) : null,
    name: ({ from, to }) =>
      from === to ? valueName(values[from]) : `${valueName(values[from])}..${valueName(values[to])}`,
  };
}

/**
 * Axis of a range. `own` is the market's own filter on the key: its bounds are kept as they were written, and only
 * where it has none is the first window open below and the last one open above, so that nothing lies outside. A bound
 * that the API does not count in is said one position further out.
 */
export function rangeAxis(
  dimension: RangeDimension,
  own: Record<string, unknown>,
  min: number,
  max: number,
  format: DateFormat,
  bounds: Bounds = 'inclusive',
): Axis {
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
        ...dimension.extra,
        ...own,
        ...(gte === undefined ? {} : { gte }),
        ...(lte === undefined ? {} : { lte }),
      };
    },
    everybody: { ...dimension.extra, gte: gteOf(lo), lte: lteOf(hi), ...own },
    name: ({ from, to }) => {
      const first = from > lo || own['gte'] !== undefined ? String(scale.say(from, 'first')) : '';
      const last = to < hi || own['lte'] !== undefined ? String(scale.say(to, 'last')) : '';
      return first === last ? first : `${first}..${last}`;
    },
  };
}

/** Position of a bound as the caller wrote it; undefined when it cannot be read. */
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
  /** A position as the API wants it, as the first or the last one of a window. */
  say(position: number, end: 'first' | 'last'): unknown;
  parse(bound: unknown, end: 'first' | 'last'): number | undefined;
}

function scaleOf(dimension: RangeDimension, format: DateFormat): Scale {
  if (dimension.type === 'date') return format === 'day' ? daysScale : yearsScale(format);
  return numbersScale(dimension.type === 'decimal' ? DECIMALS : 1);
}

// Hardly anything is registered at a weekend: days of a week passed at the start of each, Monday first.
const WEEKEND = 0.14;
const WEEKDAY = (7 - 2 * WEEKEND) / 5;
const PASSED = [0, 1, 2, 3, 4, 5].map((days) => days * WEEKDAY).concat(5 * WEEKDAY + WEEKEND);

/** A day as a number that grows evenly with registrations within a week. */
function evenDay(day: number): number {
  const monday = Math.floor((day + 3) / 7) * 7 - 3; // day 0 was a Thursday
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

/** Whole numbers, or steps of 1/parts; amounts and head counts spread over orders of magnitude. */
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
