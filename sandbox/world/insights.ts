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

const MOST_TECHNOLOGIES = 4;

/** Which technologies a website has, as one number for a column. */
export function technologyCodeOf(ctx: Context, index: number): number {
  const count = ctx.dice.below(MOST_TECHNOLOGIES + 1, TAG.technologies, index);
  return count * TECHNOLOGIES.length + ctx.dice.below(TECHNOLOGIES.length, TAG.technologies, index, 1);
}

/** Technology ids of each such number, none to four, without repeats. */
const TECHNOLOGIES_OF_CODE = Array.from({ length: (MOST_TECHNOLOGIES + 1) * TECHNOLOGIES.length }, (_, code) => {
  const count = Math.floor(code / TECHNOLOGIES.length);
  return Array.from({ length: count }, (__, n) => TECHNOLOGIES[(code + n * 11) % TECHNOLOGIES.length]!.id);
});

export function technologiesOf(ctx: Context, index: number): number[] {
  return TECHNOLOGIES_OF_CODE[technologyCodeOf(ctx, index)]!;
}

/** One flag for each such number: whether one of the technologies is among it. */
export function technologyCodesWith(ids: readonly number[]): Uint8Array {
  return Uint8Array.from(TECHNOLOGIES_OF_CODE, (held) => (held.some((id) => ids.includes(id)) ? 1 : 0));
}

/** Bands of visits a month that `insights_visits` takes; the reference does not show its values. */
export const VISIT_BANDS = [
  ['0-1000', 0, 1000],
  ['1001-10000', 1001, 10_000],
  ['10001-100000', 10_001, 100_000],
  ['100001+', 100_001, Infinity],
] as const;

/** Position in VISIT_BANDS. Written out: columns call this for every company. */
export function visitBandOf(visits: number): number {
  return visits <= 1000 ? 0 : visits <= 10_000 ? 1 : visits <= 100_000 ? 2 : 3;
}

/** Words found on a website: those of the company's industries, in lower case. */
export function keywordsOf(industries: readonly number[]): string[] {
  return industries.flatMap((position) =>
    ACTIVITIES[position]!.name.toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 1),
  );
}
