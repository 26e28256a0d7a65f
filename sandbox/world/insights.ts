import type { Context } from './context.js';
import { ACTIVITIES } from './data/nomenclatures.js';
import { TECHNOLOGIES } from './data/technologies.js';
import { TAG } from './tags.js';

/* Website insights. Callers must use them only for companies that have a website. */

/** Visits per month, from 0 to a few million. */
export function visitsOf(ctx: Context, index: number): number {
  return Math.floor(Math.exp(6 + 2.2 * ctx.dice.normal(TAG.insights, index)));
}

/** Rank among all websites; rank 1 has the most visits. */
export function rankingOf(ctx: Context, index: number): number {
  return 1 + Math.floor(20_000_000 * ctx.dice.unit(TAG.insights, index, 1) ** 2);
}

const MOST_TECHNOLOGIES = 4;

/** Technologies of a website, encoded in one number for a column. */
export function technologyCodeOf(ctx: Context, index: number): number {
  const count = ctx.dice.below(MOST_TECHNOLOGIES + 1, TAG.technologies, index);
  return count * TECHNOLOGIES.length + ctx.dice.below(TECHNOLOGIES.length, TAG.technologies, index, 1);
}

/** Technology ids of each technology code: none to four, without duplicates. */
const TECHNOLOGIES_OF_CODE = Array.from({ length: (MOST_TECHNOLOGIES + 1) * TECHNOLOGIES.length }, (_, code) => {
  const count = Math.floor(code / TECHNOLOGIES.length);
  return Array.from({ length: count }, (__, n) => TECHNOLOGIES[(code + n * 11) % TECHNOLOGIES.length]!.id);
});

export function technologiesOf(ctx: Context, index: number): number[] {
  return TECHNOLOGIES_OF_CODE[technologyCodeOf(ctx, index)]!;
}

/** One flag per technology code: 1 if it contains one of the technologies. */
export function technologyCodesWith(ids: readonly number[]): Uint8Array {
  return Uint8Array.from(TECHNOLOGIES_OF_CODE, (held) => (held.some((id) => ids.includes(id)) ? 1 : 0));
}

/** Bands of monthly visits that the filter `insights_visits` accepts. The reference does not show its values. */
export const VISIT_BANDS = [
  ['0-1000', 0, 1000],
  ['1001-10000', 1001, 10_000],
  ['10001-100000', 10_001, 100_000],
  ['100001+', 100_001, Infinity],
] as const;

/**
 * Position in VISIT_BANDS of a number of visits. For speed, the function repeats the bounds of the bands, because the
 * columns call it for every company.
 */
export function visitBandOf(visits: number): number {
  return visits <= 1000 ? 0 : visits <= 10_000 ? 1 : visits <= 100_000 ? 2 : 3;
}

/** Keywords of a website: the words of the company's industries, in lower case. */
export function keywordsOf(industries: readonly number[]): string[] {
  return industries.flatMap((position) =>
    ACTIVITIES[position]!.name.toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 1),
  );
}
