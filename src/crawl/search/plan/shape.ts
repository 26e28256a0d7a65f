import type { SplitField } from './split-field.js';
import type { Window } from './types.js';

/**
 * Returns the last whole number from `low` to `high` for which `holds` is true. If it is true for one number, it must be
 * true for all smaller ones. Does not test `low`.
 */
export function lastWhere(low: number, high: number, holds: (position: number) => boolean): number {
  let [least, most] = [low, high];
  while (least < most) {
    const middle = least + Math.ceil((most - least) / 2);
    if (holds(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

// In the estimate, all empty windows together hold this share of the companies.
const EMPTY = 1e-3;

/** A window with the number of companies that the API counted in it. */
export interface Counted extends Window {
  count: number;
}

/**
 * Estimates how a market's companies are spread over the positions of a dimension, from the counts of a few windows.
 * Assumes that companies are spread evenly within a window (along the dimension's coordinate). The estimate only helps
 * to choose the size of windows; all totals come from the API.
 */
export class Shape {
  private readonly before: number[];

  /** @param counts windows with their counts, in ascending order; together they cover the whole dimension */
  constructor(
    private readonly splitField: SplitField,
    private readonly counts: readonly Counted[],
  ) {
    // Give empty windows a small weight, so that a sweep never divides by zero.
    const sum = counts.reduce((all, c) => all + c.count, 0);
    const floor = (Math.max(1, sum) * EMPTY) / counts.length;
    const weights = counts.map((c) => Math.max(c.count, floor));
    const total = weights.reduce((all, w) => all + w, 0);
    this.before = [0];
    for (const weight of weights) this.before.push(this.before.at(-1)! + weight / total);
  }

  /**
   * Returns the share of the companies from one position to another, both included. Returns 0 if `to` is before `from`.
   */
  mass(from: number, to: number): number {
    return Math.max(0, this.upTo(to + 1) - this.upTo(from));
  }

  /**
   * Returns the largest `to` for which the positions from `from` to `to` together hold at most `share` of the
   * companies. Returns `from - 1` if the position `from` alone holds more.
   */
  reach(from: number, share: number): number {
    const goal = this.upTo(from) + share;
    return lastWhere(from - 1, this.splitField.hi, (to) => this.upTo(to + 1) <= goal);
  }

  /** Returns the share of the companies whose position is before `position`. */
  private upTo(position: number): number {
    const { lo, hi } = this.splitField;
    if (position <= lo) return 0;
    if (position > hi) return 1;
    const low = lastWhere(0, this.counts.length - 1, (i) => this.counts[i]!.from <= position);
    const part = this.counts[low]!;
    const left = this.splitField.coord(part.from);
    const width = this.splitField.coord(part.to + 1) - left;
    const inside = width > 0 ? (this.splitField.coord(position) - left) / width : 0;
    return this.before[low]! + (this.before[low + 1]! - this.before[low]!) * Math.min(1, Math.max(0, inside));
  }
}

/**
 * Halves a window along the dimension's coordinate. Returns the last position of the left half. The left half is never
 * the whole window.
 */
export function halve(splitField: SplitField, window: Window): number {
  const goal = (splitField.coord(window.from) + splitField.coord(window.to + 1)) / 2;
  return lastWhere(window.from, window.to - 1, (position) => splitField.coord(position + 1) <= goal);
}

/** Halves a dimension along its coordinate. */
export function halvesOf(splitField: SplitField): [Window, Window] {
  const { lo, hi } = splitField;
  const middle = halve(splitField, { from: lo, to: hi });
  return [
    { from: lo, to: middle },
    { from: middle + 1, to: hi },
  ];
}
