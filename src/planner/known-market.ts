import { categoricalAxis, positionOf, type Axis } from './axis.js';
import { asObject, buildAxis, type AxisFacts } from './calibration/axis-facts.js';
import type { CrawlState } from './crawl-state.js';
import { Shape, type Counted } from './shape.js';
import type { Calibration, Dimension, DimensionCalibration, Distribution, RangeDimension } from './types.js';

/**
 * Returns an earlier night's facts of a dimension without a request. The shape comes from the warehouse if possible.
 * Outdated facts cost requests but lose no company, because the total of each window is requested in any case.
 * @returns null when the dimension must be calibrated
 */
export function recallAxis(state: CrawlState, dimension: Dimension): AxisFacts | { unusable: string } | null {
  const learnt = state.input.known?.calibration?.dimensions[dimension.key];
  if (!learnt || 'unusable' in learnt) return learnt ?? null;
  const { share, complete, nullValue, format } = learnt;
  const own = state.input.filters[dimension.key];
  if (dimension.kind === 'categorical') {
    const values = Array.isArray(own) ? own : dimension.values;
    if (values.length !== learnt.values) return null;
    const axis = { ...categoricalAxis(dimension, values, learnt.windows), overlapping: learnt.overlapping };
    const counts = fitted(axis, learnt.counts);
    return { axis, shape: new Shape(axis, counts), share, complete, nullValue, counts, exact: false };
  }
  const axis = buildAxis(state, dimension, asObject(own) ?? {}, format ?? 'day');
  if (axis.lo >= axis.hi) return null;
  const spread = state.input.known?.distributions[dimension.key];
  const known = spread ? countsOf(axis, dimension, learnt, spread) : [];
  const exact = known.length > 0;
  const counts = exact ? known : fitted(axis, learnt.counts);
  return {
    axis,
    shape: new Shape(axis, counts),
    share: exact && spread && !complete ? shareOf(spread) : share,
    complete,
    nullValue,
    counts: fitted(axis, learnt.counts),
    exact,
    ...(format ? { format } : {}),
  };
}

/** Returns what a run learned, for later nights. */
export function describeCalibration(state: CrawlState): Calibration {
  const dimensions: Calibration['dimensions'] = {};
  for (const [dimension, { result }] of state.facts) {
    if (result && state.input.dimensions.includes(dimension)) dimensions[dimension.key] = describe(dimension, result);
  }
  for (const [key, unusable] of state.dropped) if (key !== 'v1') dimensions[key] = { unusable };
  const { perPage, size, pages, bounds, v1Refusal } = state;
  const totalsCap = state.totalsCap < Infinity ? state.totalsCap : null;
  return { perPage, size, pages, totalsCap, bounds, v1Refusal, dimensions };
}

function describe(dimension: Dimension, facts: AxisFacts): DimensionCalibration {
  const { axis, share, complete, nullValue, format } = facts;
  return {
    share,
    complete,
    overlapping: axis.overlapping,
    windows: axis.windows,
    values: dimension.kind === 'categorical' ? axis.hi - axis.lo + 1 : 0,
    counts: facts.counts.map(({ from, to, count }) => [from, to, count]),
    ...(format ? { format } : {}),
    ...(nullValue === undefined ? {} : { nullValue }),
  };
}

/** Adapts an earlier night's windows to tonight's range of positions. */
function fitted(axis: Axis, counts: readonly (readonly [number, number, number])[]): Counted[] {
  const inside = counts.filter(([from, to]) => to >= axis.lo && from <= axis.hi);
  if (inside.length === 0) return [{ from: axis.lo, to: axis.hi, count: 1 }];
  return inside.map(([from, to, count], i) => ({
    from: i === 0 ? axis.lo : from,
    to: i === inside.length - 1 ? axis.hi : to,
    count,
  }));
}

/** Returns a window for each value that the warehouse knows, and a window for each gap between two values. */
function countsOf(
  axis: Axis,
  dimension: RangeDimension,
  { format }: Exclude<DimensionCalibration, { unusable: string }>,
  { values }: Distribution,
): Counted[] {
  const counts: Counted[] = [];
  let next = axis.lo;
  for (const [value, companies] of values) {
    const known = positionOf(dimension, format ?? 'day', value, 'first');
    if (known === undefined) continue;
    const at = Math.min(axis.hi, Math.max(axis.lo, known));
    const last = counts.at(-1);
    if (last && at < next) {
      last.count += companies;
      continue;
    }
    if (at > next) counts.push({ from: next, to: at - 1, count: 0 });
    counts.push({ from: at, to: at, count: companies });
    next = at + 1;
  }
  if (counts.length > 0 && next <= axis.hi) counts.push({ from: next, to: axis.hi, count: 0 });
  return counts;
}

function shareOf({ values, without }: Distribution): number {
  const known = values.reduce((sum, [, companies]) => sum + companies, 0);
  return known / Math.max(1, known + without);
}
