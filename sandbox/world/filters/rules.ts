/** What the reference leaves open about company filters, so that a client may meet either. */
export interface FilterRules {
  /** How bounds of `company_incorporation` are written. */
  incorporation: 'date' | 'year';
  /** What becomes of bounds of the other kind: refused, or nothing is found. */
  incorporationPolicy: 'refuse' | 'empty';
  /** What null does there: refused, left aside, or it selects the companies without a date. */
  incorporationNull: 'refuse' | 'ignore' | 'select';
  /** Whether a value that equals a bound matches; half-open: the lower one only. */
  bounds: 'inclusive' | 'half-open' | 'exclusive';
}

export const DEFAULT_RULES: FilterRules = {
  incorporation: 'date',
  incorporationPolicy: 'refuse',
  incorporationNull: 'refuse',
  bounds: 'inclusive',
};

/** Both bounds as inclusive ones: what is left out has no limit, and an exclusive bound moves by the least there is. */
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
