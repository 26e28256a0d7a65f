import type { ApiRow } from '../../../schemas/explorer/api.js';
import { cell, count } from './format.js';

/**
 * Says that no property separates the companies of a gap, if the segments prove it. Otherwise returns the recorded
 * reason.
 * @param gap a row of `reasons`
 */
export function sayGap(gap: ApiRow): string {
  if (!isInseparable(gap)) return cell(gap['reason']);
  return `${count(gap['stuck_total'])} companies share every value by which this run narrowed its search, and no property is left. The search shows only ${count(gap['stuck_shown'])} of them, so ${count(gap['missing'])} could not be listed.`;
}

/** Returns the filters of the search that misses the companies of a gap: the narrowest one, if the data prove it. */
export function filtersOf(gap: ApiRow): string {
  return cell(gap['stuck_filters'] ?? gap['filters']);
}

/** Returns whether the companies of a gap have one value, or none, in each property that any search of the run used. */
function isInseparable(gap: ApiRow): boolean {
  const { stuck_filters: text, stuck_properties: used, stuck_fixed: fixed } = gap;
  if (typeof text !== 'string' || !Array.isArray(used) || !Array.isArray(fixed)) return false;
  let filters: Record<string, unknown>;
  try {
    filters = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return false;
  }
  const split = cell(gap['stuck_split_by']).split(', ');
  return used.every(
    (name) =>
      fixed.includes(name) || split.includes(cell(name)) || (cell(name) in filters && isOneValue(filters[cell(name)])),
  );
}

function isOneValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 1;
  if (typeof value !== 'object' || value === null) return true;
  const { include, gte, lte, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return false;
  return Array.isArray(include) ? include.length === 1 && gte === undefined && lte === undefined : gte === lte;
}
