import type { Context } from './context.js';
import { ACTIVITY_CLASSES } from './data/activity-classes.js';
import { MARKET_COUNTRIES } from './data/market-countries.js';
import { NACE_REV2 } from './data/nace-rev2.js';
import { ACTIVITIES } from './data/nomenclatures.js';
import { TAG } from './tags.js';

/*
 * Economic activity of companies. Each company has one class of NACE Rev. 2. This class determines the company's class
 * of ISIC Rev. 4, its first industry and its national industry code.
 */

/** One class of NACE Rev. 2. */
export interface NaceClass {
  /** Code of the class with its dot: `62.01`. */
  code: string;
  title: string;
  /** Letter of the section. NACE and ISIC have the same sections. */
  section: string;
  /** Class of ISIC Rev. 4, as four digits. */
  isic: string;
  /** Position of the class's industry in ACTIVITIES. */
  industry: number;
}

/** All 615 classes of NACE Rev. 2, in order. */
export const NACE_CLASSES: readonly NaceClass[] = readClasses();

function readClasses(): NaceClass[] {
  let section = '';
  const classes: NaceClass[] = [];
  for (const [code, title, isic] of NACE_REV2) {
    if (code.length === 1) section = code;
    if (isic !== undefined) classes.push({ code, title, section, isic, industry: industryOf(code) });
  }
  return classes;
}

/**
 * Returns the position in ACTIVITIES of the activity that includes a NACE class. If several activities include the
 * class, chooses the one with the longest code.
 */
function industryOf(code: string): number {
  const fits = ACTIVITY_CLASSES.flatMap(([activity, , codes]) =>
    codes.filter((start) => code.startsWith(start)).map((start) => ({ activity, start })),
  );
  const { activity } = fits.reduce((best, fit) => (fit.start.length > best.start.length ? fit : best));
  return ACTIVITIES.findIndex(({ id }) => id === activity);
}

/**
 * Positions in ACTIVITIES. An activity with a larger share occurs more often. So a random entry selects activities by
 * their shares.
 */
const SLOTS = ACTIVITY_CLASSES.flatMap(([activity, share]) =>
  Array.from({ length: share }, () => ACTIVITIES.findIndex(({ id }) => id === activity)),
);
/** For each activity: the positions of its classes in NACE_CLASSES. */
const CLASSES_OF_INDUSTRY = ACTIVITIES.map((_, industry) =>
  NACE_CLASSES.flatMap((entry, position) => (entry.industry === industry ? [position] : [])),
);

/**
 * Returns the position of the company's class in NACE_CLASSES. Draws an activity, then one of its classes. Both random
 * numbers are squared, so that the first entries of a list are more common.
 */
export function naceOf(ctx: Context, index: number): number {
  const { dice } = ctx;
  const industry = SLOTS[Math.floor(dice.unit(TAG.nace, index) ** 2 * SLOTS.length)]!;
  const classes = CLASSES_OF_INDUSTRY[industry]!;
  return classes[Math.floor(dice.unit(TAG.nace, index, 1) ** 2 * classes.length)]!;
}

const nationalCodes: (readonly string[] | undefined)[] = [];

/** Returns the national code of every NACE class in a country. `country` is a position in MARKET_COUNTRIES. */
export function nationalCodesOf(country: number): readonly string[] {
  const { sicCode } = MARKET_COUNTRIES[country]!;
  return (nationalCodes[country] ??= NACE_CLASSES.map(({ code }) => sicCode(code.replace('.', ''))));
}

/**
 * Returns one flag for each NACE class: 1 if one of the codes equals the class or includes it. Codes may look like
 * `62.01`, `6201`, `62.0`, `62` or `J`.
 */
export function classesUnder(codes: readonly string[], scheme: 'nace' | 'isic'): Uint8Array {
  const sections = codes.map((code) => code.trim().toUpperCase()).filter((code) => /^[A-U]$/.test(code));
  const starts = codes.map((code) => code.replaceAll(/\D/g, '')).filter((code) => code !== '');
  return Uint8Array.from(NACE_CLASSES, ({ code, section, isic }) => {
    const digits = scheme === 'isic' ? isic : code.replace('.', '');
    return sections.includes(section) || starts.some((start) => digits.startsWith(start)) ? 1 : 0;
  });
}
