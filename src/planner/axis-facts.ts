import { positionOf, rangeAxis, type Axis } from './axis.js';
import type { CrawlState } from './crawl-state.js';
import { Shape, type Counted } from './shape.js';
import type { DateFormat, RangeDimension } from './types.js';

/** What asking found out about a dimension, on the market as a whole. */
export interface AxisFacts {
  axis: Axis;
  shape: Shape;
  /** Share of the market that has a value at all; 1: nobody is lost by splitting along it. */
  share: number;
  complete: boolean;
  /** Filter value that selects the companies without a value, when the API has one. */
  nullValue: unknown;
  /** Windows of the whole axis with the companies they held. */
  counts: readonly Counted[];
  format?: DateFormat;
  /** Windows whose page 1 calibration has, with the companies they hold. */
  asked?: readonly Counted[];
  /** True when the shape is the warehouse's, company by company. */
  exact: boolean;
}

/** Facts as questions to the API showed them. */
export function askedFacts(axis: Axis, counts: readonly Counted[], share: number, complete: boolean): AxisFacts {
  return { axis, shape: new Shape(axis, counts), share, complete, nullValue: undefined, counts, exact: false };
}

/** The axis of a range, within the market's own filter on it. */
export function buildAxis(
  state: CrawlState,
  dimension: RangeDimension,
  own: Record<string, unknown>,
  format: DateFormat,
): Axis {
  const { horizon } = state.input;
  const isDate = dimension.type === 'date';
  const min = positionOf(dimension, format, dimension.min ?? (isDate ? horizon.from : 0), 'first');
  const max = positionOf(dimension, format, dimension.max ?? (isDate ? horizon.to : 1_000_000_000), 'last');
  return rangeAxis(dimension, own, min ?? 0, max ?? 1_000_000_000, format, state.bounds);
}

/** A plain object, or null. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
