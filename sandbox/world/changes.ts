import type { Context } from './context.js';
import { TAG } from './tags.js';

/*
 * How companies change: time is cut into epochs of 100 days, and in each every company changes one thing on one day of
 * it, so that about 1 % of the market changes a day. The *version* of an attribute on a day is the number of the last
 * epoch whose change was of its kind; the attribute's value is drawn with that version. Nothing is stored.
 */

/** What one change touches; the position is the kind's number. */
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

/** Changes of a hundred, by kind. */
const WEIGHTS = [16, 11, 3, 6, 7, 5, 5, 15, 7, 3, 2, 4, 16];
const KIND_OF_DRAW = Uint8Array.from(WEIGHTS.flatMap((weight, kind) => Array.from({ length: weight }, () => kind)));

/** 2015-01-01: nothing changed before. A fixed date, so that a later start date goes on with the same history. */
export const HISTORY_START = 16_436;
const EPOCH_DAYS = 100;

/** Versions of every attribute on one day; 0 is the first. One object can be read into again and again. */
export class Versions {
  readonly of = new Int32Array(WEIGHTS.length);
  /** Unix days and versions of restated financial values, oldest first. */
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

/** Calls `visit` for each change of a company in the unix days `from` to `to`, both included, in order. */
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

/** Whether a company changes in the unix days `from` to `to`, both included. */
export function hasChange(ctx: Context, index: number, from: number, to: number): boolean {
  const last = Math.floor((to - HISTORY_START) / EPOCH_DAYS);
  for (let epoch = Math.max(0, Math.floor((from - HISTORY_START) / EPOCH_DAYS)); epoch <= last; epoch++) {
    const day = HISTORY_START + epoch * EPOCH_DAYS + (ctx.dice.draw(TAG.changeDay, index, epoch) % EPOCH_DAYS);
    if (day >= from && day <= to) return true;
  }
  return false;
}

/** Reads the versions of a company founded on `founded` (unix day or null) as of a unix day. */
export function readVersions(
  ctx: Context,
  index: number,
  founded: number | null,
  day: number,
  out: Versions,
): Versions {
  out.clear();
  // Written out, not through forEachChange: columns call this for every company.
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
