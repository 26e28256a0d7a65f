import type { Shape } from './shape.js';
import type { Window } from './types.js';

/** What a sweep needs to know of its axis and segment. */
export interface SweepInput {
  shape: Shape;
  /** Positions to walk, both included. */
  from: number;
  to: number;
  /** Estimated companies of the segment on the whole axis; only aims. */
  expected: number;
  /** Companies one search can show. */
  cap: number;
  /** Returns the number of companies at which the sweep stops, because the totals contradict each other. */
  most(): number;
  /** Returns the number from which totals only mean "at least this many". Default: no cap. */
  totalsCap?(): number;
  /** False when a search can name only one position. */
  windows: boolean;
  /** Expected relative error of the first window's total. Default: the error of a sweep without earlier data. */
  error?: number;
  /** Rows on a page. If the shape is exact, windows end where their last page is full. */
  size?: number;
  /** False when one position does not predict the next, so that only the shape counts. Default true. */
  ordered?: boolean;
}

/**
 * - leaf: at or below the page cap.
 * - spike: one position above the page cap.
 * - narrow: too wide; a narrower window comes next.
 */
export type Verdict = 'leaf' | 'spike' | 'narrow';

// Expected error of a first window when only a few counts of the axis are known.
const COLD_ERROR = 0.08;
const FULLEST = 0.995;
// Decay of the density learned from earlier windows: the last two or three count most.
const MEMORY = 0.5;
// Smallest share a window is cut to for full pages, and how many ends to try.
const SHORTEST = 0.4;
const MOST_TRIED = 1_000;
// Share of a window's companies that enter or leave in a night (variance of the change).
const MOVING = 0.0015;
// A window this much fuller than its neighbours suggest holds a spike: halve towards the spike, don't interpolate.
const SPIKE = 3;

/**
 * Walks an axis in ascending order with windows aimed just under the page cap.
 * An overflow gives an exact count over its window (a knot): after its first part is read, the count of the rest needs
 * no request. Windows never overlap and leave no gap. `next` returns the window to request; `learn` takes its total.
 *
 * States and transitions:
 * - cold: nothing learned yet; the shape alone aims the windows. The first total → warm.
 * - warm: the density of the last windows corrects the shape. A total above the cap → inside an overflow.
 * - inside an overflow: its exact count aims the windows. A window at or beyond its end → warm.
 * - ended: the position passed `to`, or the totals contradicted each other (`gaveUp`).
 */
export class Sweep {
  private at: number;
  private window: Window = { from: 0, to: 0 };
  private foreseen = 0;
  /** Overflows ahead, innermost last: `count` companies between `at` and `end`. */
  private knots: { end: number; count: number }[] = [];
  private clean = 0;
  private seen: number;
  private modelled: number;
  private error: number;
  private asked = 0;
  /** Companies in the windows passed so far. */
  accepted = 0;
  private readonly mass: number;

  constructor(private readonly input: SweepInput) {
    this.at = input.from;
    this.error = input.error ?? COLD_ERROR;
    this.seen = this.modelled = input.cap * 0.3;
    this.mass = input.expected * input.shape.mass(input.from, input.to);
  }

  /** First position not covered by a leaf or spike yet. */
  get position(): number {
    return this.at;
  }

  /** True when the sweep stopped before its end because the totals contradicted each other. */
  get gaveUp(): boolean {
    return this.at <= this.input.to && this.contradicts;
  }

  /** Whether the totals are impossible: windows without end, or parts much larger than the whole. */
  private get contradicts(): boolean {
    const { from, to, cap } = this.input;
    const most = this.input.most();
    // Far beyond what a consistent API needs.
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

  /** Takes the total of the last window and returns its verdict. */
  learn(total: number): Verdict {
    const { from, to } = this.window;
    const { cap } = this.input;
    const capped = total >= (this.input.totalsCap?.() ?? Infinity);
    const over = capped || total > cap;
    if (over && to > from) {
      this.knots.push({ end: to, count: capped ? Math.max(total, this.foreseen) : total });
      if (this.clean === 0) this.trust(total, 1);
      return 'narrow';
    }
    const ahead = this.knots.length > 0 && to <= this.knots.at(-1)!.end;
    this.knots = this.knots
      .filter((knot) => knot.end > to)
      .map((knot) => ({ ...knot, count: Math.max(0, knot.count - total) }));
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

  /** Skips the last window, which the API refused. */
  skip(): void {
    this.at = this.window.to + 1;
    this.knots = this.knots.filter((knot) => knot.end >= this.at);
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
    for (const knot of this.knots.toReversed()) {
      if (knot.end < start) continue;
      const before = start === this.at ? 0 : this.predict({ from: this.at, to: start - 1 });
      const count = Math.max(0, knot.count - before);
      if (start === this.at && count <= cap && count > need) return knot.end; // an exact count: fill to the cap
      if (count > need) return Math.min(this.aimInside(start, knot.end, count, need), knot.end - (count > cap ? 1 : 0));
      need -= count;
      start = knot.end + 1;
    }
    return start > end ? end : Math.max(start - 1, shape.reach(start, need / this.density));
  }

  /** Returns the end, at or before `to`, at which a window's last page should be fullest. */
  private fillPages(to: number): number {
    const { size, error, cap, to: end } = this.input;
    if (size === undefined || error === undefined || this.knots.length > 0 || to === end) return to;
    const least = this.predict({ from: this.at, to }) * SHORTEST;
    let [best, bestWaste] = [to, Infinity];
    for (let at = to; at >= this.at && to - at < MOST_TRIED; at--) {
      const foreseen = this.predict({ from: this.at, to: at });
      if (foreseen < least || foreseen < 1) break;
      // Tonight's count differs from last night's. A page requested for one company is the most expensive.
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

  /** Estimates the companies of a window: from exact counts of overflows, then from the recent density. */
  private predict(window: Window): number {
    const { shape } = this.input;
    let sum = 0;
    let start = window.from;
    let counted = 0;
    for (const knot of this.knots.toReversed()) {
      if (knot.end < start || start > window.to) continue;
      const inside = Math.min(knot.end, window.to);
      const mass = shape.mass(start, knot.end);
      const count = Math.max(0, knot.count - counted);
      sum += mass > 0 ? (count * shape.mass(start, inside)) / mass : 0;
      counted = knot.count;
      start = knot.end + 1;
    }
    return sum + (start <= window.to ? this.density * shape.mass(start, window.to) : 0);
  }
}
