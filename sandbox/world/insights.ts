import type { Context } from './context.js';
import { ACTIVITIES } from './data/nomenclatures.js';
import { TECHNOLOGIES } from './data/technologies.js';
import { TAG } from './tags.js';

/* Figures about the website of a company. Callers must use them only for companies that have a website. */

/** Returns the visits per month: 0 to a few million. */
export function visitsOf(ctx: Context, index: number): number {
  return Math.floor(Math.exp(6 + 2.2 * ctx.dice.normal(TAG.insights, index)));
}

/** Returns the rank among all websites. Rank 1 has the most visits. */
export function rankingOf(ctx: Context, index: number): number {
  return 1 + Math.floor(20_000_000 * ctx.dice.unit(TAG.insights, index, 1) ** 2);
}

const MOST_TECHNOLOGIES = 4;

/** Returns the technologies of a website, encoded in one number, so that a column can hold them. */
export function technologyCodeOf(ctx: Context, index: number): number {
  const count = ctx.dice.below(MOST_TECHNOLOGIES + 1, TAG.technologies, index);
  return count * TECHNOLOGIES.length + ctx.dice.below(TECHNOLOGIES.length, TAG.technologies, index, 1);
}

/** For each technology code: the ids of its technologies. A code has none to four of them, without duplicates. */
const TECHNOLOGIES_OF_CODE = Array.from({ length: (MOST_TECHNOLOGIES + 1) * TECHNOLOGIES.length }, (_, code) => {
  const count = Math.floor(code / TECHNOLOGIES.length);
  return Array.from({ length: count }, (__, n) => TECHNOLOGIES[(code + n * 11) % TECHNOLOGIES.length]!.id);
});

export function technologiesOf(ctx: Context, index: number): number[] {
  return TECHNOLOGIES_OF_CODE[technologyCodeOf(ctx, index)]!;
}

/** Returns one flag for each technology code: 1 if the code contains one of the technologies. */
export function technologyCodesWith(ids: readonly number[]): Uint8Array {
  return Uint8Array.from(TECHNOLOGIES_OF_CODE, (held) => (held.some((id) => ids.includes(id)) ? 1 : 0));
}

/** Ranges of monthly visits that the filter `insights_visits` accepts. The reference does not show its values. */
export const VISIT_BANDS = [
  ['0-1000', 0, 1000],
  ['1001-10000', 1001, 10_000],
  ['10001-100000', 10_001, 100_000],
  ['100001+', 100_001, Infinity],
] as const;

/**
 * Returns the position in VISIT_BANDS of the range that contains a number of visits. Repeats the bounds of the ranges
 * for speed, because it is called for every company.
 */
export function visitBandOf(visits: number): number {
  return visits <= 1000 ? 0 : visits <= 10_000 ? 1 : visits <= 100_000 ? 2 : 3;
}

/** Returns the keywords of a website: the words in the names of the company's industries, in lower case. */
export function keywordsOf(industries: readonly number[]): string[] {
  return industries.flatMap((position) =>
    ACTIVITIES[position]!.name.toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 1),
  );
}
