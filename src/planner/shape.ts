import type { Axis } from './axis.js';
import type { Window } from './types.js';

// Weight of all empty windows together.
const EMPTY = 1e-3;

/** A window and how many companies it was seen to hold. */
export interface Counted extends Window {
  count: number;
}

/**
 * How a market's companies spread over an axis, as far as a few counts tell: shares between 0 and 1, piecewise even
 * in the axis' coordinate. Only used to aim; counts that matter are always asked.
 */
export class Shape {
  private readonly starts: number[];
  private readonly before: number[];

  /** @param counts windows that cover the axis without gaps, ascending */
  constructor(
    private readonly axis: Axis,
    private readonly counts: readonly Counted[],
  ) {
    // A window that looked empty keeps a little weight, so that a sweep never divides by nothing.
    const sum = counts.reduce((all, c) => all + c.count, 0);
    const floor = (Math.max(1, sum) * EMPTY) / counts.length;
    const weights = counts.map((c) => Math.max(c.count, floor));
    const total = weights.reduce((all, w) => all + w, 0);
    this.starts = counts.map((c) => c.from);
    this.before = [0];
    for (const weight of weights) this.before.push(this.before.at(-1)! + weight / total);
  }

  /** Share of the companies between two positions, both included. */
  mass(from: number, to: number): number {
    return to < from ? 0 : Math.max(0, this.upTo(to + 1) - this.upTo(from));
  }

  /** The last position such that `from` to it holds at most `share`; `from - 1` when `from` alone holds more. */
  reach(from: number, share: number): number {
    const goal = this.upTo(from) + share;
    let low = from - 1;
    let high = this.axis.hi;
    while (low < high) {
      const middle = low + Math.ceil((high - low) / 2);
      if (this.upTo(middle + 1) <= goal) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Share of the companies left of a position. */
  private upTo(position: number): number {
    const { lo, hi } = this.axis;
    if (position <= lo) return 0;
    if (position > hi) return 1;
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    const part = this.counts[low]!;
    const left = this.axis.coord(part.from);
    const width = this.axis.coord(part.to + 1) - left;
    const inside = width > 0 ? (this.axis.coord(position) - left) / width : 0;
    return this.before[low]! + (this.before[low + 1]! - this.before[low]!) * Math.min(1, Math.max(0, inside));
  }
}

/** The position after which the coordinate of a window is halved; the left half is never the whole window. */
export function halve(axis: Axis, window: Window): number {
  const goal = (axis.coord(window.from) + axis.coord(window.to + 1)) / 2;
  let low = window.from;
  let high = window.to - 1;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (axis.coord(middle + 1) <= goal) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, window.from);
}
