import { categoricalField, positionOf, type SplitField } from './split-field.js';
import { buildSplitField, type DimensionFacts, type Outcome } from './calibration/dimension-facts.js';
import type { CrawlState } from './crawl-state.js';
import { Shape, type Counted } from './shape.js';
import type {
  Calibration,
  DateFormat,
  Dimension,
  DimensionCalibration,
  Distribution,
  RangeDimension,
} from './types.js';

/**
 * Returns what an earlier night found out about a dimension, without a request. The shape comes from the warehouse if
 * possible. Outdated facts cost requests but lose no company, because the plan requests the total of each window
 * anyway.
 * @returns null when the dimension must be calibrated
 */
export function recallDimension(state: CrawlState, dimension: Dimension): Outcome | null {
  const learnt = state.input.known?.calibration?.dimensions[dimension.key];
  if (!learnt || 'unusable' in learnt) return learnt ?? null;
  const { share, complete, nullValue, format, windows, overlapping } = learnt;
  const own = state.input.filters[dimension.key];
  const values = dimension.kind === 'range' ? [] : Array.isArray(own) ? own : dimension.values;
  if (values.length !== learnt.values) return null;
  const splitField =
    dimension.kind === 'range'
      ? buildSplitField(state, dimension, format ?? 'day')
      : { ...categoricalField(dimension, values, windows), overlapping };
  if (splitField.lo >= splitField.hi) return null;
  const counts = fitted(splitField, learnt.counts);
  const spread = state.input.known?.distributions[dimension.key];
  const known = spread && dimension.kind === 'range' ? countsOf(splitField, dimension, format ?? 'day', spread) : [];
  const exact = known.length > 0;
  return {
    splitField,
    shape: new Shape(splitField, exact ? known : counts),
    share: exact && spread && !complete ? shareOf(spread) : share,
    complete,
    nullValue,
    counts,
    exact,
    ...(format ? { format } : {}),
  };
}

/** Returns what a run learned about the API, for later nights. */
export function describeCalibration(state: CrawlState): Calibration {
  const dimensions: Calibration['dimensions'] = {};
  for (const [key, outcome] of state.outcomes)
    if (key !== 'v1') dimensions[key] = 'unusable' in outcome ? outcome : describe(outcome);
  const { perPage, size, pages, bounds, v1Refusal } = state;
  const totalsCap = state.totalsCap < Infinity ? state.totalsCap : null;
  return { perPage, size, pages, totalsCap, bounds, v1Refusal, dimensions };
}

function describe(facts: DimensionFacts): DimensionCalibration {
  const { splitField, share, complete, nullValue, format } = facts;
  return {
    share,
    complete,
    overlapping: splitField.overlapping,
    windows: splitField.windows,
    values: splitField.ordered ? 0 : splitField.hi - splitField.lo + 1,
    counts: facts.counts.map(({ from, to, count }) => [from, to, count]),
    ...(format ? { format } : {}),
    ...(nullValue === undefined ? {} : { nullValue }),
  };
}

/** Fits the windows of an earlier night into tonight's range of positions. */
function fitted(splitField: SplitField, counts: readonly (readonly [number, number, number])[]): Counted[] {
  const inside = counts.filter(([from, to]) => to >= splitField.lo && from <= splitField.hi);
  if (inside.length === 0) return [{ from: splitField.lo, to: splitField.hi, count: 1 }];
  return inside.map(([from, to, count], i) => ({
    from: i === 0 ? splitField.lo : from,
    to: i === inside.length - 1 ? splitField.hi : to,
    count,
  }));
}

/** Returns a window for each value that the warehouse knows, and an empty window for each gap between two values. */
function countsOf(
  splitField: SplitField,
  dimension: RangeDimension,
  format: DateFormat,
  { values }: Distribution,
): Counted[] {
  const { lo, hi } = splitField;
  const companiesAt = new Map<number, number>();
  for (const [value, companies] of values) {
    const position = positionOf(dimension, format, value, 'first');
    if (position === undefined) continue;
    const at = Math.min(hi, Math.max(lo, position));
    companiesAt.set(at, (companiesAt.get(at) ?? 0) + companies);
  }
  const counts: Counted[] = [];
  let next = lo;
  for (const [at, count] of companiesAt) {
    if (at > next) counts.push({ from: next, to: at - 1, count: 0 });
    counts.push({ from: at, to: at, count });
    next = at + 1;
  }
  if (counts.length > 0 && next <= hi) counts.push({ from: next, to: hi, count: 0 });
  return counts;
}

function shareOf({ values, without }: Distribution): number {
  const known = values.reduce((sum, [, companies]) => sum + companies, 0);
  return known / Math.max(1, known + without);
}
