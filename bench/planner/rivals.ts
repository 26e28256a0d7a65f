import { firstDay, yearOf } from '../../src/crawl/search/plan/days.js';
import type { Columns } from './columns.js';
import { lowerBound } from './lower-bound.js';
import { FIRST_DAY, LAST_DAY } from './register.js';

/** Cost and yield of one way to list a market. Every request counts once, including page 1 of a leaf. */
export interface Enumeration {
  requests: number;
  /** Distinct companies on the pages of leaves. */
  reached: number;
  leaves: number;
  /** Searches above the page cap. */
  overflows: number;
  /** Largest number of nested splits. */
  depth: number;
}

interface Days {
  from: number;
  to: number;
}

/** Splits a window of days whose search found `total` companies, more than the cap. */
type Cut = (window: Days, total: number, cap: number, depth: number) => Days[];

/** The usual methods to stay below a page cap. All of them split the range of incorporation days. */
export const RIVALS: Record<string, { cut: Cut; differences?: boolean }> = {
  'binary midpoint': { cut: halve },
  // Computes the total of the second half: the total of the whole minus the total of the first half. If the result is
  // above the cap, the second half needs no search of its own.
  'binary, by difference': { cut: halve, differences: true },
  'k-way quantile': { cut: quantiles },
  'fixed grid': { cut: grid },
};

/**
 * Lists a market by splitting its range of days; a search shows ten pages of `size` companies. Spends one request on
 * the total of the market and none on calibration. A single day above the cap is read up to the cap.
 */
export function enumerateByDays(
  columns: Columns,
  size: number,
  { cut, differences = false }: { cut: Cut; differences?: boolean },
): Enumeration {
  const { incorporated } = columns;
  const before = (day: number): number => lowerBound(incorporated.length, (row) => incorporated[row]! >= day);
  const count = ({ from, to }: Days): number => before(to + 1) - before(from);
  const cap = size * 10;
  const result: Enumeration = { requests: 1, reached: 0, leaves: 0, overflows: 0, depth: 0 };
  const visit = (window: Days, depth: number, known: boolean): void => {
    const total = count(window);
    result.depth = Math.max(result.depth, depth);
    if (total > cap && window.to > window.from) {
      result.overflows += 1;
      if (!known) result.requests += 1;
      split(window, total, depth);
      return;
    }
    result.leaves += 1;
    result.requests += Math.max(1, Math.ceil(Math.min(total, cap) / size));
    result.reached += Math.min(total, cap);
  };
  const split = (window: Days, total: number, depth: number): void => {
    const parts = cut(window, total, cap, depth);
    for (const [i, part] of parts.entries()) visit(part, depth + 1, differences && i === parts.length - 1);
  };
  const all = { from: FIRST_DAY, to: LAST_DAY };
  if (columns.companies <= cap) result.reached = columns.companies;
  else split(all, columns.companies, 0);
  return result;
}

function halve({ from, to }: Days): Days[] {
  const middle = Math.floor((from + to) / 2);
  return [
    { from, to: middle },
    { from: middle + 1, to },
  ];
}

/** Splits a window into parts of equal length: enough parts if the companies were evenly spread. */
function quantiles({ from, to }: Days, total: number, cap: number): Days[] {
  const parts = Math.min(to - from + 1, Math.max(2, Math.ceil(total / cap)));
  const edge = (i: number): number => from + Math.floor(((to - from + 1) * i) / parts);
  return Array.from({ length: parts }, (_, i) => ({ from: edge(i), to: edge(i + 1) - 1 }));
}

/** Splits by years, then by months, then by days. */
function grid({ from, to }: Days, _total: number, _cap: number, depth: number): Days[] {
  const starts: number[] = [];
  if (depth === 0) for (let year = yearOf(from); year <= yearOf(to); year++) starts.push(firstDay(year, 1));
  else if (depth === 1) for (let month = 1; month <= 12; month++) starts.push(firstDay(yearOf(from), month));
  else for (let day = from; day <= to; day++) starts.push(day);
  const inside = starts.filter((start) => start <= to);
  return inside.map((start, i) => ({ from: start, to: (inside[i + 1] ?? to + 1) - 1 }));
}
