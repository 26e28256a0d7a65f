import type { Shape } from './shape.js';
import type { Window } from './types.js';

/** Facts about the segment to sweep, and about the dimension to sweep along. */
export interface SweepInput {
  shape: Shape;
  /** First and last position of the sweep. */
  from: number;
  to: number;
  /** Estimated number of companies in the segment, over all positions of the dimension. Used only to size windows. */
  expected: number;
  /** Companies that one search can show. */
  cap: number;
  /**
   * Returns the largest possible number of companies in the segment. If the totals add up to more, they contradict each
   * other and the sweep stops.
   */
  most(): number;
  /** Returns the cap of totals: from this number on, a total means "at least this many". Default: no cap. */
  totalsCap?(): number;
  /** False when a search can select only one position. */
  windows: boolean;
  /** Relative error to expect in the estimate for the first window. Default: `COLD_ERROR`. */
  error?: number;
  /** Rows on a page. If given, and the shape is exact, windows end where their last page is nearly full. */
  size?: number;
  /**
   * False when the count of one position does not predict the count of the next. Then only `shape` sizes the windows.
   * Default true.
   */
  ordered?: boolean;
}

/**
 * - leaf: the window's total is at or below the page cap.
 * - spike: the window is a single position, but its total is above the page cap.
 * - narrow: the window's total is above the page cap. A narrower window comes next.
 */
export type Verdict = 'leaf' | 'spike' | 'narrow';

// Expected error of the first window in a cold sweep.
const COLD_ERROR = 0.08;
const FULLEST = 0.995;
// The estimate of companies per position is an average over past windows. Each new window multiplies the weight of
// earlier windows by this factor.
const MEMORY = 0.5;
// A window may shrink so that its last page is nearly full, but not below this share of its expected companies. At most
// `MOST_TRIED` end positions are tried.
const SHORTEST = 0.4;
const MOST_TRIED = 1_000;
// How much the number of companies in a window changes in one night: the variance, divided by the number.
const MOVING = 0.0015;
// If a window's total is this many times the expected number, one position probably holds most of the companies. Then
// halve the window instead of interpolating.
const SPIKE = 3;

/**
 * Goes through a dimension in ascending order, with windows sized just below the page cap. A window above the page cap
 * is an overflow. Its total is exact, so after its first part is read, the count of the rest needs no request. Windows
 * never overlap and leave no gap. `next` returns the window to request; `learn` takes its total.
 *
 * States and transitions:
 * - cold: no total is known yet; only the shape sizes the windows. The first total → warm.
 * - warm: the density of the last windows corrects the shape. A total above the cap → inside an overflow.
 * - inside an overflow: its exact count sizes the windows. A window at or beyond its end → warm.
 * - ended: the position passed `to`, or the totals contradicted each other (`gaveUp`).
 */
export class Sweep {
  private at: number;
  private window: Window = { from: 0, to: 0 };
  private foreseen = 0;
  /**
   * Windows that were too large to read and are being read in smaller windows. The smallest comes last. `count` companies
   * of each lie between the current position (`at`) and its `end`.
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

  /** First position after all leaves and spikes so far. */
  get position(): number {
    return this.at;
  }

  /** True when the sweep stopped before its end because the totals contradicted each other. */
  get gaveUp(): boolean {
    return this.at <= this.input.to && this.contradicts;
  }

  /**
   * True when the totals cannot be right: the sweep needs far too many windows, or its windows hold more companies than
   * the segment can have.
   */
  private get contradicts(): boolean {
    const { from, to, cap } = this.input;
    const most = this.input.most();
    // With a consistent API, a sweep requests far fewer windows.
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
    this.foreseen = this.predict(this.window);
    return this.window;
  }

  /** Takes the total of the last window and returns the verdict on this window. */
  learn(total: number): Verdict {
    const { from, to } = this.window;
    const { cap } = this.input;
    const capped = total >= (this.input.totalsCap?.() ?? Infinity);
    const over = capped || total > cap;
    if (over && to > from) {
      this.overflows.push({ end: to, count: capped ? Math.max(total, this.foreseen) : total });
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

  /** Skips the last window after the API refused it. */
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

  /** Companies per unit of the shape's mass, learned from the last windows. */
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
    let need = this.target;
    let start = this.at;
    for (const overflow of this.overflows.toReversed()) {
      if (overflow.end < start) continue;
      const before = start === this.at ? 0 : this.predict({ from: this.at, to: start - 1 });
      const count = Math.max(0, overflow.count - before);
      if (start === this.at && count <= cap && count > need) return overflow.end; // exact count: fill to the cap
      if (count > need)
        return Math.min(this.aimInside(start, overflow.end, count, need), overflow.end - (count > cap ? 1 : 0));
      need -= count;
      start = overflow.end + 1;
    }
    return start > end ? end : Math.max(start - 1, shape.reach(start, need / this.density));
  }

  /** Returns the end, at or before `to`, at which the window's last page is expected to have the fewest empty rows. */
  private fillPages(to: number): number {
    const { size, error, cap, to: end } = this.input;
    if (size === undefined || error === undefined || this.overflows.length > 0 || to === end) return to;
    const least = this.predict({ from: this.at, to }) * SHORTEST;
    let [best, bestWaste] = [to, Infinity];
    for (let at = to; at >= this.at && to - at < MOST_TRIED; at--) {
      const foreseen = this.predict({ from: this.at, to: at });
      if (foreseen < least || foreseen < 1) break;
      // Plan for a somewhat higher count than expected, because a further page for a single company is expensive.
      const pages = Math.ceil(Math.min(cap, foreseen + 1 + Math.sqrt(foreseen * MOVING)) / size);
      const waste = (pages * size) / foreseen;
      if (waste < bestWaste) [best, bestWaste] = [at, waste];
    }
    return best;
  }

  private aimInside(start: number, end: number, count: number, need: number): number {
    const { shape, cap } = this.input;
    const mass = shape.mass(start, end);
    const usual = this.density * mass;
    if (this.clean > 0 && count > SPIKE * usual + cap / 2) {
      const half = Math.max(start, shape.reach(start, mass / 2));
      return Math.min(half, Math.max(start, shape.reach(start, need / this.density)));
    }
    return shape.reach(start, (mass * need) / count);
  }

  /** Estimates the companies of a window, from exact counts of overflows and from the density of the last windows. */
  private predict(window: Window): number {
    const { shape } = this.input;
    let sum = 0;
    let start = window.from;
    let counted = 0;
    for (const overflow of this.overflows.toReversed()) {
      if (overflow.end < start || start > window.to) continue;
      const inside = Math.min(overflow.end, window.to);
      const mass = shape.mass(start, overflow.end);
      const count = Math.max(0, overflow.count - counted);
      sum += mass > 0 ? (count * shape.mass(start, inside)) / mass : 0;
      counted = overflow.count;
      start = overflow.end + 1;
    }
    return sum + (start <= window.to ? this.density * shape.mass(start, window.to) : 0);
  }
}
