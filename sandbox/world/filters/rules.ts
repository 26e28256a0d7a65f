/** Behaviour of company filters that the reference does not define. A real API may behave in any of these ways. */
export interface FilterRules {
  /** Format of the bounds of `company_incorporation`: whole dates or only years. */
  incorporation: 'date' | 'year';
  /** What to do with bounds in the other format: refuse them, or find nothing. */
  incorporationPolicy: 'refuse' | 'empty';
  /** What to do with null in `company_incorporation`: refuse it, ignore it, or select companies without a date. */
  incorporationNull: 'refuse' | 'ignore' | 'select';
  /** Which bounds of a range belong to it. With `half-open`, only the lower bound belongs to the range. */
  bounds: 'inclusive' | 'half-open' | 'exclusive';
}

export const DEFAULT_RULES: FilterRules = {
  incorporation: 'date',
  incorporationPolicy: 'refuse',
  incorporationNull: 'refuse',
  bounds: 'inclusive',
};

/**
 * Converts bounds to inclusive ones. A missing bound becomes infinite. An exclusive bound becomes the next double
 * inside the range.
 */
export function inclusive(
  gte: number | undefined,
  lte: number | undefined,
  bounds: FilterRules['bounds'],
): [gte: number, lte: number] {
  const [from, to] = [gte ?? -Infinity, lte ?? Infinity];
  return [bounds === 'exclusive' ? above(from) : from, bounds === 'inclusive' ? to : -above(-to)];
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The next larger double. */
function above(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value === 0) return Number.MIN_VALUE;
  double[0] = value;
  bits[0]! += value > 0 ? 1n : -1n;
  return double[0];
}
