import type { Context } from './context.js';
import { ACTIVITIES } from './data/nomenclatures.js';
import { TECHNOLOGIES } from './data/technologies.js';
import { TAG } from './tags.js';

/* What is known of a company's website; only asked of companies that have one. */

/** Visits a month, 0 to some millions. */
export function visitsOf(ctx: Context, index: number): number {
  return Math.floor(Math.exp(6 + 2.2 * ctx.dice.normal(TAG.insights, index)));
}

/** Rank among websites, 1 the most visited. */
export function rankingOf(ctx: Context, index: number): number {
  return 1 + Math.floor(20_000_000 * ctx.dice.unit(TAG.insights, index, 1) ** 2);
}

/** Technology ids, none to four, without repeats. */
export function technologiesOf(ctx: Context, index: number): number[] {
  const count = ctx.dice.below(5, TAG.technologies, index);
  const from = ctx.dice.below(TECHNOLOGIES.length, TAG.technologies, index, 1);
  return Array.from({ length: count }, (_, n) => TECHNOLOGIES[(from + n * 11) % TECHNOLOGIES.length]!.id);
}

/** Bands of visits a month that `insights_visits` takes; the reference does not show its values. */
export const VISIT_BANDS = [
  ['0-1000', 0, 1000],
  ['1001-10000', 1001, 10_000],
  ['10001-100000', 10_001, 100_000],
  ['100001+', 100_001, Infinity],
] as const;

/** Words found on a website: those of the company's industries, in lower case. */
export function keywordsOf(industries: readonly number[]): string[] {
  return industries.flatMap((position) =>
    ACTIVITIES[position]!.name.toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 1),
  );
}
