import { NONE, type Columns } from './columns.js';
import type { Enumeration } from './rivals.js';

/**
 * Computes the fewest pages that windows of days can need: the cost of a sweep that already knows the number of
 * companies per day. A day above the cap is read up to the cap. This is a lower bound for the planner, not a usable
 * method.
 */
export function optimumByDays(columns: Columns, size: number): Enumeration {
  const cap = size * 10;
  const days = countDays(columns.incorporated);
  // Work backwards from the last day. `pages[i]` is the number of pages needed from day i on. `ends[i]` is the end of
  // the first window there.
  const pages = new Float64Array(days.length + 1);
  const ends = new Int32Array(days.length);
  for (let i = days.length - 1; i >= 0; i--) {
    let sum = 0;
    pages[i] = Infinity;
    for (let end = i + 1; end <= days.length; end++) {
      sum += days[end - 1]!;
      if (sum > cap && end > i + 1) break;
      const cost = Math.ceil(Math.min(sum, cap) / size) + pages[end]!;
      if (cost > pages[i]!) continue;
      pages[i] = cost;
      ends[i] = end;
    }
  }
  let leaves = 0;
  for (let i = 0; i < days.length; i = ends[i]!) leaves += 1;
  const reached = days.reduce((sum, count) => sum + Math.min(count, cap), 0);
  return { requests: 1 + pages[0]!, reached, leaves, overflows: 0, depth: 1 };
}

/** Number of companies of each day that has any, in the order of the days. */
function countDays(incorporated: Int32Array): number[] {
  const counts: number[] = [];
  for (let row = 0; row < incorporated.length && incorporated[row] !== NONE; row++) {
    if (row > 0 && incorporated[row] === incorporated[row - 1]) counts[counts.length - 1]! += 1;
    else counts.push(1);
  }
  return counts;
}
