import type { Context } from './context.js';
import { TAG } from './tags.js';

/*
 * Decides which companies are in the market on a day. Each company has an *index*, counted from 0. The API shows an id,
 * which can be converted back to the index. Ids have gaps, so a client cannot guess them by counting.
 */

const FIRST_ID = 1_000_003;
const ID_STEP = 37;
/**
 * Share of companies that join the market each day, relative to the market on day 0. The same share leaves each day.
 */
const DAILY_SHARE = 0.0005;
const LEAVE_EPOCH = 100;

/** Returns the id of a company. A higher index has a higher id. */
export function idOf(ctx: Context, index: number): number {
  return FIRST_ID + index * ID_STEP + ctx.dice.below(ID_STEP, TAG.id, index);
}

/** Returns the index of the company with an id. Undefined when no company has this id on any day. */
export function indexOf(ctx: Context, id: number): number | undefined {
  if (!Number.isSafeInteger(id) || id < FIRST_ID) return undefined;
  const index = Math.floor((id - FIRST_ID) / ID_STEP);
  return idOf(ctx, index) === id ? index : undefined;
}

function newcomersPerDay(ctx: Context): number {
  return Math.max(1, Math.round(ctx.options.companies * DAILY_SHARE));
}

/**
 * Returns the number of company indices in use up to a unix day. Companies that have left count; companies that join
 * later do not.
 */
export function capacityOn(ctx: Context, day: number): number {
  return ctx.options.companies + Math.max(0, day - ctx.start) * newcomersPerDay(ctx);
}

/** Returns the unix day on which a company joined the market. -Infinity if it was in the market on day 0. */
export function bornOn(ctx: Context, index: number): number {
  const late = index - ctx.options.companies;
  return late < 0 ? -Infinity : ctx.start + 1 + Math.floor(late / newcomersPerDay(ctx));
}

/**
 * Returns the unix day on which a company left. Undefined if it has not left by `day`. No company leaves before day 1.
 */
export function leftBy(ctx: Context, index: number, day: number): number | undefined {
  const born = bornOn(ctx, index);
  const lastEpoch = Math.floor((day - ctx.start - 1) / LEAVE_EPOCH);
  for (let epoch = 0; epoch <= lastEpoch; epoch++) {
    if (!ctx.dice.chance(DAILY_SHARE * LEAVE_EPOCH, TAG.leave, index, epoch * 2)) continue;
    const left = ctx.start + 1 + epoch * LEAVE_EPOCH + ctx.dice.below(LEAVE_EPOCH, TAG.leave, index, epoch * 2 + 1);
    if (left > born && left <= day) return left;
  }
  return undefined;
}

/** Returns whether the API has records of the company, such as details and financials, on a unix day. */
export function exists(ctx: Context, index: number, day: number): boolean {
  return bornOn(ctx, index) <= day && leftBy(ctx, index, day) === undefined;
}

/**
 * Returns whether searches list the company on a unix day. They list it one day longer than it exists, like a search
 * index that is updated late.
 */
export function isListed(ctx: Context, index: number, day: number): boolean {
  return bornOn(ctx, index) <= day && leftBy(ctx, index, day - 1) === undefined;
}
