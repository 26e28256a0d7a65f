/** Behaviour of company filters that the reference does not define. A real API may behave in each of these ways. */
export interface FilterRules {
  /** Format in which the bounds of `company_incorporation` are accepted: whole dates, or only years. */
  incorporation: 'date' | 'year';
  /** What happens to bounds in the other format. `refuse`: an error. `empty`: the search finds nothing. */
  incorporationPolicy: 'refuse' | 'empty';
  /**
   * What null in `company_incorporation` does. `refuse`: an error. `ignore`: nothing. `select`: selects companies
   * without a date.
   */
  incorporationNull: 'refuse' | 'ignore' | 'select';
  /** Which bounds belong to a range: both, only the lower one (`half-open`), or none (`exclusive`). */
  bounds: 'inclusive' | 'half-open' | 'exclusive';
}

export const DEFAULT_RULES: FilterRules = {
  incorporation: 'date',
  incorporationPolicy: 'refuse',
  incorporationNull: 'refuse',
  bounds: 'inclusive',
};

/**
 * Converts the bounds of a range to inclusive bounds. A missing bound becomes infinite. An exclusive bound becomes the
 * next double inside the range.
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

/** Returns the next larger double. */
function above(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value === 0) return Number.MIN_VALUE;
  double[0] = value;
  bits[0]! += value > 0 ? 1n : -1n;
  return double[0];
}
