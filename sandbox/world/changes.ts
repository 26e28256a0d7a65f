import type { Context } from './context.js';
import { TAG } from './tags.js';

/*
 * How companies change. Time is divided into periods of 100 days, called epochs. In each epoch, every company changes
 * one attribute on one day. So about 1 % of the market changes per day. Changes are computed from the seed and never
 * stored.
 *
 * Terms:
 * - *kind*: the attribute that changes.
 * - *version* of an attribute on a day: number of the last epoch that changed the attribute, counted from 1; 0 before
 *   any change. The value of the attribute is computed from its version.
 */

/** Kinds of changes. The number of a kind is its position in `WEIGHTS`. */
export const KIND = {
  phone: 0,
  email: 1,
  fax: 2,
  website: 3,
  street: 4,
  move: 5,
  name: 6,
  size: 7,
  status: 8,
  vat: 9,
  registration: 10,
  trading: 11,
  restate: 12,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** Relative frequency of each kind. The sum is 100. */
const WEIGHTS = [16, 11, 3, 6, 7, 5, 5, 15, 7, 3, 2, 4, 16];
const KIND_OF_DRAW = Uint8Array.from(WEIGHTS.flatMap((weight, kind) => Array.from({ length: weight }, () => kind)));

/**
 * Unix day of 2015-01-01, the first day with changes. It does not depend on the start date, so that markets with
 * different start dates have the same history.
 */
export const HISTORY_START = 16_436;
const EPOCH_DAYS = 100;

/**
 * The version numbers of all attributes of one company on one day. Each change of an attribute makes a new version.
 * `readVersions` can fill the same object for one company after another.
 */
export class Versions {
  readonly of = new Int32Array(WEIGHTS.length);
  /**
   * Unix days on which financial values were restated, oldest first. `restatements` holds the version of each
   * restatement.
   */
  readonly restatedOn: number[] = [];
  readonly restatements: number[] = [];

  clear(): void {
    this.of.fill(0);
    this.restatedOn.length = 0;
    this.restatements.length = 0;
  }

  get(kind: Kind): number {
    return this.of[kind]!;
  }
}

/**
 * Calls `visit` for each change of a company from one unix day to another, in order. Both `from` and `to` are included.
 */
export function forEachChange(
  ctx: Context,
  index: number,
  from: number,
  to: number,
  visit: (kind: Kind, day: number, version: number) => void,
): void {
  const first = Math.max(0, Math.floor((from - HISTORY_START) / EPOCH_DAYS));
  const last = Math.floor((to - HISTORY_START) / EPOCH_DAYS);
  for (let epoch = first; epoch <= last; epoch++) {
    const day = HISTORY_START + epoch * EPOCH_DAYS + (ctx.dice.draw(TAG.changeDay, index, epoch) % EPOCH_DAYS);
    if (day < from || day > to) continue;
    visit(KIND_OF_DRAW[ctx.dice.draw(TAG.changeKind, index, epoch) % 100] as Kind, day, epoch + 1);
  }
}

/** Returns whether a company changes between two unix days. Both `from` and `to` are included. */
export function hasChange(ctx: Context, index: number, from: number, to: number): boolean {
  const last = Math.floor((to - HISTORY_START) / EPOCH_DAYS);
  for (let epoch = Math.max(0, Math.floor((from - HISTORY_START) / EPOCH_DAYS)); epoch <= last; epoch++) {
    const day = HISTORY_START + epoch * EPOCH_DAYS + (ctx.dice.draw(TAG.changeDay, index, epoch) % EPOCH_DAYS);
    if (day >= from && day <= to) return true;
  }
  return false;
}

/** Reads the versions of a company on a unix day into `out`. `founded` is a unix day, or null if unknown. */
export function readVersions(
  ctx: Context,
  index: number,
  founded: number | null,
  day: number,
  out: Versions,
): Versions {
  out.clear();
  // This loop repeats the one of `forEachChange`, for speed: `buildColumns` calls this function for every company.
  const last = Math.floor((day - HISTORY_START) / EPOCH_DAYS);
  const first = founded === null ? 0 : Math.max(0, Math.floor((founded - HISTORY_START) / EPOCH_DAYS));
  for (let epoch = first; epoch <= last; epoch++) {
    const at = HISTORY_START + epoch * EPOCH_DAYS + (ctx.dice.draw(TAG.changeDay, index, epoch) % EPOCH_DAYS);
    if (at > day || (founded !== null && at <= founded)) continue;
    const kind = KIND_OF_DRAW[ctx.dice.draw(TAG.changeKind, index, epoch) % 100]!;
    out.of[kind] = epoch + 1;
    if (kind === KIND.restate) {
      out.restatedOn.push(at);
      out.restatements.push(epoch + 1);
    }
  }
  return out;
}
