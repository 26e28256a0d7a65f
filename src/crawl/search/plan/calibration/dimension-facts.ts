import { positionOf, rangeField, type SplitField } from '../split-field.js';
import { Shape, type Counted } from '../shape.js';
import type { Bounds, DateFormat, PlanInput, RangeDimension } from '../types.js';

// Largest number of a dimension without an upper limit.
const MOST = 1_000_000_000;

/** What calibration found out about a dimension. The facts apply to the whole market. */
export interface DimensionFacts {
  splitField: SplitField;
  shape: Shape;
  /** Share of the market's companies that have a value. If it is 1, a split along the dimension loses no company. */
  share: number;
  /** Whether the windows of the dimension, together with a known `nullValue`, select every company of the market. */
  complete: boolean;
  /** Filter value that selects the companies without a value; undefined if no such filter value is known. */
  nullValue: unknown;
  /** Windows that together cover the whole dimension, each with its number of companies. */
  counts: readonly Counted[];
  format?: DateFormat;
  /** Windows whose page 1 calibration has already requested, each with its number of companies. */
  asked?: readonly Counted[];
  /** Whether `shape` comes from the warehouse, which knows the value of each company. */
  exact: boolean;
}

/** What calibration found out about a dimension, or the reason why the dimension is unusable. */
export type Outcome = DimensionFacts | { unusable: string };

/** Returns the facts that calibration learned from requests to the API. */
export function askedFacts(
  splitField: SplitField,
  counts: readonly Counted[],
  share: number,
  complete: boolean,
): DimensionFacts {
  return {
    splitField,
    shape: new Shape(splitField, counts),
    share,
    complete,
    nullValue: undefined,
    counts,
    exact: false,
  };
}

/**
 * Assigns positions to the values of a range dimension. If the market has a filter on the dimension, its bounds limit
 * the positions.
 */
export function buildSplitField(
  { input, bounds }: { input: PlanInput; bounds: Bounds },
  dimension: RangeDimension,
  format: DateFormat,
): SplitField {
  const { horizon } = input;
  const isDate = dimension.type === 'date';
  const min = positionOf(dimension, format, dimension.min ?? (isDate ? horizon.from : 0), 'first') ?? 0;
  const most = positionOf(dimension, format, dimension.max ?? (isDate ? horizon.to : MOST), 'last') ?? MOST;
  const own = asObject(input.filters[dimension.key]) ?? {};
  return rangeField(dimension, own, { min, max: most, format, bounds });
}

/** Returns the value if it is a plain object, else null. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
