import type { Shape } from './shape.js';
import type { Window } from './types.js';

export interface SweepInput {
  shape: Shape;
  /** Positions to walk, ascending. */
  from: number;
  to: number;
  /** About how many companies the whole axis holds for this segment; only used to aim. */
  expected: number;
  cap: number;
  /** The sweep stops when its windows hold more than this: then the totals cannot be believed. */
  most(): number;
  /** Totals from here on only say that there are at least so many. Default: none do. */
  totalsCap?(): number;
  /** False when a search can name only one position at a time. */
  windows: boolean;
  /** How far off, in shares, a window's foreseen total may be at first. Default: nothing is known well. */
  error?: number;
  /** Rows of a page: where the shape is known well, windows are made to fill their last page. */
  size?: number;
  /** False when one position says nothing of the next: then only the shape is believed. Default true. */
  ordered?: boolean;
}

/** leaf: at or below the cap. spike: one position above the cap. narrow: too wide, a narrower one comes next. */
export type Verdict = 'leaf' | 'spike' | 'narrow';

// How well a first window is aimed when all that is known of an axis is a few counts.
const COLD_ERROR = 0.08;
const FULLEST = 0.995;
// Decay of what earlier windows taught about the density: the last two or three count most.
const MEMORY = 0.5;
// Of what a window could hold, the least it is cut to for the sake of full pages, and how many ends are looked at.
const SHORTEST = 0.4;
const MOST_TRIED = 1_000;
// Companies that come and go in a window in a night, as a share (variance of the change).
const MOVING = 0.0015;
// A window this much fuller than its neighbours suggest holds a spike: halve towards it instead of interpolating.
const SPIKE = 3;

/**
 * Walks an axis in ascending order with windows aimed just under the cap. An overflow is a knot of the cumulative
 * count: what remains of it after its first part needs no request. Pure: `next` says what to ask, `learn` takes the
 * total. Windows never overlap and leave no gap.
 */
export class Sweep {
  private at: number;
  private window: Window = { from: 0, to: 0 };
  private foreseen = 0;
  /** Overflows ahead, innermost last: companies between `at` and `end`. */
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

  /** First position not yet covered by a leaf or spike. */
  get position(): number {
    return this.at;
  }

  /** True when the totals contradicted each other for so long that the sweep stopped before its end. */
  get gaveUp(): boolean {
    return this.at <= this.input.to && this.contradicts;
  }

  /** Totals that no market can have: windows without end, or parts much larger than the whole. */
  private get contradicts(): boolean {
    const { from, to, cap } = this.input;
    const most = this.input.most();
    // Far beyond what any honest market needs; only totals that contradict each other get here.
    const mass = most === Infinity ? Math.max(this.mass, this.accepted) : this.mass;
    const limit = 60 + 8 * Math.ceil(mass / cap) + Math.min(500, to - from + 1);
    return this.asked >= limit || this.accepted > most;
  }

  /** The next window to ask; null at the end. */
  next(): Window | null {
    if (this.at > this.input.to || this.contradicts) return null;
    this.asked += 1;
    const to = this.input.windows ? this.fillPages(Math.min(Math.max(this.aim(), this.at), this.input.to)) : this.at;
    this.window = { from: this.at, to };
    this.foreseen = this.predict(this.window);
    return this.window;
  }

  /** Takes the total of the window last given out. */
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

  /** Passes over the window last given out, since the API refused it. */
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

  /** Companies per unit of the shape's mass, as the last windows showed it. */
  private get density(): number {
    const ratio = this.modelled > 0 ? this.seen / this.modelled : 1;
    return Math.max(ratio, 1e-6) * Math.max(this.input.expected, 1);
  }

  private get target(): number {
    return this.input.cap * Math.min(FULLEST, Math.max(0.5, 1 - 1.7 * this.error));
  }

  /** Last position of the next window. */
  private aim(): number {
    const { shape, cap, to: end } = this.input;
    let need = this.target;
    let start = this.at;
    for (const knot of this.knots.toReversed()) {
      if (knot.end < start) continue;
      const before = start === this.at ? 0 : this.predict({ from: this.at, to: start - 1 });
      const count = Math.max(0, knot.count - before);
      if (start === this.at && count <= cap && count > need) return knot.end; // counted, not guessed: fill to the cap
      if (count > need) return Math.min(this.aimInside(start, knot.end, count, need), knot.end - (count > cap ? 1 : 0));
      need -= count;
      start = knot.end + 1;
    }
    return start > end ? end : Math.max(start - 1, shape.reach(start, need / this.density));
  }

  /** The end, at or before `to`, at which a window's last page is expected to be fullest. */
  private fillPages(to: number): number {
    const { size, error, cap, to: end } = this.input;
    if (size === undefined || error === undefined || this.knots.length > 0 || to === end) return to;
    const least = this.predict({ from: this.at, to }) * SHORTEST;
    let [best, bestWaste] = [to, Infinity];
    for (let at = to; at >= this.at && to - at < MOST_TRIED; at--) {
      const foreseen = this.predict({ from: this.at, to: at });
      if (foreseen < least || foreseen < 1) break;
      // Last night's count is not tonight's: a page begun for one company more is the dearest.
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

  /** Companies a window is expected to hold: exact counts of knots first, then the recent density. */
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
