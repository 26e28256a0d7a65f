import { lastWhere, type Shape } from './shape.js';
import type { Window } from './types.js';

/** What a sweep needs to know about the segment and about the dimension. */
export interface SweepInput {
  shape: Shape;
  /** First and last position of the sweep. */
  from: number;
  to: number;
  /** Estimated number of companies in the whole segment. Used only to choose the size of windows. */
  expected: number;
  /** Number of companies that one search can show. */
  cap: number;
  /**
   * Returns the largest number of companies that the segment can have. If the totals add up to more, they contradict
   * each other, and the sweep stops.
   */
  most(): number;
  /**
   * Returns the number at which the API caps totals: a total this large means "at least this many". Default: no cap.
   */
  totalsCap?(): number;
  /** Whether a search can select several positions at once. */
  windows: boolean;
  /** Expected relative error of the predicted count of the first window. Default: `COLD_ERROR`. */
  error?: number;
  /** Number of rows on a page. If given together with `error`, windows end where their last page is nearly full. */
  size?: number;
  /**
   * Whether the count of one position helps to predict the count of the next. If false, only `shape` decides the size
   * of windows. Default true.
   */
  ordered?: boolean;
}

/**
 * What the total of a window means:
 * - leaf: the total is at or below the page cap.
 * - spike: the total is above the page cap, and the window is a single position.
 * - narrow: the total is above the page cap. A narrower window comes next.
 */
export type Verdict = 'leaf' | 'spike' | 'narrow';

// Expected relative error of the first window's predicted count in a cold sweep.
const COLD_ERROR = 0.08;
const FULLEST = 0.995;
// The number of companies per position is estimated from past windows. Each new window multiplies the weight of all
// earlier windows by this factor.
const MEMORY = 0.5;
// A window may be shortened so that its last page is nearly full, but it keeps at least SHORTEST of its expected
// companies. At most `MOST_TRIED` end positions are tried.
const SHORTEST = 0.4;
const MOST_TRIED = 1_000;
// How much the number of companies in a window changes in one night: variance / number.
const MOVING = 0.0015;
// If a window's total is this many times the expected number, a single position probably holds most of its companies.
// Then halve the window instead of interpolating.
const SPIKE = 3;

/**
 * Goes through a dimension in ascending order. Chooses windows whose total is just below the page cap. `next` returns
 * the window to request; `learn` takes its total. Windows never overlap and leave no gap. A window above the page cap
 * is an overflow, and is read in smaller windows. If the API does not cap totals, its total is exact. Then the count of
 * its last part is known before the request.
 *
 * States and transitions:
 * - cold: no total is known yet, so only the shape decides the size of windows. After the first total → warm.
 * - warm: the density of the last windows corrects the shape. After a total above the cap → inside an overflow.
 * - inside an overflow: its exact total decides the size of windows. After a window that reaches its end → warm.
 * - ended: the position is after `to`, or the totals contradict each other (`gaveUp`).
 */
export class Sweep {
  private at: number;
  private window: Window = { from: 0, to: 0 };
  private foreseen = 0;
  /**
   * Windows above the page cap, which are being read in smaller windows. The smallest comes last. `count` is the number
   * of their companies from the current position (`at`) to their `end`.
   */
  private overflows: { end: number; count: number }[] = [];
  private clean = 0;
  private seen: number;
  private modelled: number;
  private error: number;
  private asked = 0;
  /** Sum of the totals of all leaves and spikes so far. */
  accepted = 0;
  private readonly mass: number;

  constructor(private readonly input: SweepInput) {
    this.at = input.from;
    this.error = input.error ?? COLD_ERROR;
    this.seen = this.modelled = input.cap * 0.3;
    this.mass = input.expected * input.shape.mass(input.from, input.to);
  }

  /** The first position after all leaves and spikes so far. */
  get position(): number {
    return this.at;
  }

  /** Whether the sweep stopped early because the totals contradict each other. */
  get gaveUp(): boolean {
    return this.at <= this.input.to && this.contradicts;
  }

  /**
   * Whether the totals cannot be right. This is so if the sweep needs far too many windows, or if its windows hold more
   * companies than the segment can have.
   */
  private get contradicts(): boolean {
    const { from, to, cap } = this.input;
    const most = this.input.most();
    // If the API does not contradict itself, a sweep needs far fewer windows than `limit`.
    const mass = most === Infinity ? Math.max(this.mass, this.accepted) : this.mass;
    const limit = 60 + 8 * Math.ceil(mass / cap) + Math.min(500, to - from + 1);
    return this.asked >= limit || this.accepted > most;
  }

  /** Returns the next window to request; null at the end. */
  next(): Window | null {
    if (this.at > this.input.to || this.contradicts) return null;
    this.asked += 1;
    const to = this.input.windows ? this.fillPages(Math.min(Math.max(this.aim(), this.at), this.input.to)) : this.at;
    this.window = { from: this.at, to };
    this.foreseen = this.predict(to);
    return this.window;
  }

  /** Takes the total of the last window. Returns what it means. */
  learn(total: number): Verdict {
    const { from, to } = this.window;
    const { cap } = this.input;
    const capped = total >= (this.input.totalsCap?.() ?? Infinity);
    const over = capped || total > cap;
    if (over && to > from) {
      this.overflows.push({ end: to, count: capped ? Math.max(total, this.foreseen, cap + 1) : total });
      if (this.clean === 0) this.trust(total, 1);
      return 'narrow';
    }
    const ahead = this.overflows.length > 0 && to <= this.overflows.at(-1)!.end;
    this.overflows = this.overflows
      .filter((overflow) => overflow.end > to)
      .map((overflow) => ({ ...overflow, count: Math.max(0, overflow.count - total) }));
    this.at = to + 1;
    this.accepted += total;
    if (over) return 'spike';
    if (!ahead)
      this.error =
        0.7 * this.error + 0.3 * Math.min(1, Math.abs(total - this.foreseen) / Math.max(this.foreseen, cap * 0.3));
    this.trust(total, MEMORY);
    this.clean += 1;
    return 'leaf';
  }

  /** Skips the last window because the API refused it. */
  skip(): void {
    this.at = this.window.to + 1;
    this.overflows = this.overflows.filter((overflow) => overflow.end >= this.at);
  }

  private trust(total: number, decay: number): void {
    if (this.input.ordered === false) return;
    const keep = decay === 1 ? 0 : decay;
    this.seen = this.seen * keep + total;
    this.modelled =
      this.modelled * keep + this.input.expected * this.input.shape.mass(this.window.from, this.window.to);
  }

  /** Number of companies per unit of `Shape.mass`, learned from the last windows. */
  private get density(): number {
    const ratio = this.modelled > 0 ? this.seen / this.modelled : 1;
    return Math.max(ratio, 1e-6) * Math.max(this.input.expected, 1);
  }

  private get target(): number {
    return this.input.cap * Math.min(FULLEST, Math.max(0.5, 1 - 1.7 * this.error));
  }

  /** Returns the last position of the next window. */
  private aim(): number {
    const { shape, cap, to: end } = this.input;
    const to = lastWhere(this.at, end, (position) => this.predict(position) <= this.target);
    const inner = this.overflows.at(-1);
    if (!inner) return to;
    // The count is exact, so fill the window up to the cap.
    if (inner.count <= cap) return Math.max(to, inner.end);
    const mass = shape.mass(this.at, inner.end);
    if (this.clean > 0 && inner.count > SPIKE * this.density * mass + cap / 2)
      return Math.min(shape.reach(this.at, mass / 2), shape.reach(this.at, this.target / this.density));
    return Math.min(to, inner.end - 1);
  }

  /**
   * Shortens a window so that its last page has as few empty rows as possible. Returns the new end, which is at or
   * before `to`.
   */
  private fillPages(to: number): number {
    const { size, error, cap, to: end } = this.input;
    if (size === undefined || error === undefined || this.overflows.length > 0 || to === end) return to;
    const least = this.predict(to) * SHORTEST;
    let [best, bestWaste] = [to, Infinity];
    for (let at = to; at >= this.at && to - at < MOST_TRIED; at--) {
      const foreseen = this.predict(at);
      if (foreseen < least || foreseen < 1) break;
      // Plan for a slightly higher count than expected, because one more page for a single company is expensive.
      const pages = Math.ceil(Math.min(cap, foreseen + 1 + Math.sqrt(foreseen * MOVING)) / size);
      const waste = (pages * size) / foreseen;
      if (waste < bestWaste) [best, bestWaste] = [at, waste];
    }
    return best;
  }

  /**
   * Estimates the number of companies from the current position to another. Uses the exact counts of overflows, and
   * otherwise the density of the last windows.
   */
  private predict(to: number): number {
    const { shape } = this.input;
    let sum = 0;
    let start = this.at;
    let counted = 0;
    for (const { end, count } of this.overflows.toReversed()) {
      if (end < start || start > to) continue;
      const mass = shape.mass(start, end);
      if (mass > 0) sum += (Math.max(0, count - counted) * shape.mass(start, Math.min(end, to))) / mass;
      counted = count;
      start = end + 1;
    }
    return sum + (start <= to ? this.density * shape.mass(start, to) : 0);
  }
}
