import { describe, expect, it } from 'vitest';
import { NACE_CLASSES, naceOf } from '../../sandbox/world/classification.js';
import { CURRENCIES } from '../../sandbox/world/data/currencies.js';
import { ISIC_REV4 } from '../../sandbox/world/data/isic-rev4.js';
import { ISO_COUNTRIES } from '../../sandbox/world/data/iso-countries.js';
import { NACE_REV2 } from '../../sandbox/world/data/nace-rev2.js';
import { ACTIVITIES } from '../../sandbox/world/data/nomenclatures.js';
import { createWorld } from '../../sandbox/world/index.js';

/** Counts sections, divisions, groups and classes by the length of their codes without dots. */
function levels(rows: readonly (readonly [code: string, ...unknown[]])[]): number[] {
  const lengths = rows.map(([code]) => (/^[A-U]$/.test(code) ? 1 : code.replace('.', '').length));
  return [1, 2, 3, 4].map((length) => lengths.filter((found) => found === length).length);
}

/** Codes that come before their parent code, except sections. */
function orphans(rows: readonly (readonly [code: string, ...unknown[]])[]): string[] {
  const seen = new Set<string>();
  return rows.flatMap(([code]) => {
    seen.add(code);
    const above = code.slice(0, -1).replace(/\.$/, '');
    return code.length > 2 && !seen.has(above) ? [code] : [];
  });
}

describe('public code lists', () => {
  it('holds all of NACE Rev. 2 and ISIC Rev. 4', () => {
    expect(levels(NACE_REV2)).toEqual([21, 88, 272, 615]);
    expect(levels(ISIC_REV4)).toEqual([21, 88, 238, 419]);
    for (const rows of [NACE_REV2, ISIC_REV4]) {
      expect(orphans(rows)).toEqual([]);
      expect(new Set(rows.map(([code]) => code)).size).toBe(rows.length);
      expect(rows.filter(([, title]) => title.trim() === '' || title !== title.trim())).toEqual([]);
    }
  });

  it('maps each NACE class to an ISIC class of the same division', () => {
    const isicClasses = ISIC_REV4.flatMap(([code]) => (code.length === 4 ? [code] : []));
    expect(new Set(NACE_CLASSES.map(({ isic }) => isic))).toEqual(new Set(isicClasses));
    expect(NACE_CLASSES.filter(({ code, isic }) => code.slice(0, 2) !== isic.slice(0, 2))).toEqual([]);
    // NACE separates dairy cattle from other cattle; ISIC has one class for both.
    const raising = NACE_CLASSES.filter(({ isic }) => isic === '0141').map(({ code }) => code);
    expect(raising).toEqual(['01.41', '01.42']);
  });

  it('holds all of ISO 4217 and ISO 3166-1', () => {
    expect(new Set(CURRENCIES.map(([code]) => code)).size).toBe(178);
    expect(CURRENCIES).toHaveLength(178);
    expect(new Set(ISO_COUNTRIES.map(([code]) => code)).size).toBe(249);
    expect(ISO_COUNTRIES).toHaveLength(249);
  });

  it('assigns each NACE class to an activity, leaving no activity empty', () => {
    expect(new Set(NACE_CLASSES.map(({ industry }) => industry))).toEqual(new Set(ACTIVITIES.keys()));
  });
});

describe('the sandbox market', () => {
  const { ctx } = createWorld({ companies: 200_000, tenders: 0, seed: 7, date: '2026-11-20' });
  const counts = new Map<number, number>();
  for (let index = 0; index < 200_000; index++) {
    const nace = naceOf(ctx, index);
    counts.set(nace, (counts.get(nace) ?? 0) + 1);
  }

  it('has companies of every NACE class', () => {
    expect(counts.size).toBe(615);
  });

  it('puts more than a third of companies into a tenth of the classes', () => {
    const descending = [...counts.values()].toSorted((a, b) => b - a);
    expect(descending.slice(0, 61).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200_000 / 3);
  });
});
