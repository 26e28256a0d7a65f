import { KIND, type Versions } from './changes.js';
import type { Context } from './context.js';
import { BRANDS, LATIN_FIRST, LATIN_SECOND, OTHER_SCRIPTS } from './data/words.js';
import { TAG } from './tags.js';
import { marketCountryOf } from './traits.js';

/**
 * Functions that each turn a plain name into an unusual one. Such names occur in real data, and careless programs fail
 * on them.
 */
const ODDITIES: readonly ((name: string) => string)[] = [
  (name) => `"${name}"`,
  (name) => `${name}, t/a The Baker's Dozen, Ltd`,
  (name) => `${name}\nBranch Office`,
  (name) => `${name} 🚀`,
  (name) => `=SUM(${name})`,
  (name) => `<b>${name}</b> & Søn`,
  (name) => `  ${name}\t`,
  (name) => `${name} '; DROP TABLE companies; --`,
  (name) => `‮${name}‬ Ltd`,
  (name) => `${name} ${'and Partners '.repeat(12)}`.trim(),
  (name) => `NULL ${name}`,
  (name) => `${name} | 100 % \\ backslash`,
];

/**
 * Returns the name of a company on a day. About 4.4 % of the names are in capitals; 0.6 % are unusual (quotes, line
 * break, …).
 */
export function nameOf(ctx: Context, index: number, versions: Versions): string {
  return nameOfVersion(ctx, index, versions.get(KIND.name));
}

/** Returns the name of a company in one version. Version 0 is the first name. */
export function nameOfVersion(ctx: Context, index: number, version: number): string {
  const { dice } = ctx;
  const country = marketCountryOf(ctx, index);
  const suffix = dice.pick(country.suffixes, TAG.nameMore, index);
  const plain = `${wordsOf(ctx, index, version)} ${suffix}`;
  const draw = dice.unit(TAG.nameOddity, index);
  if (draw < 0.006) return dice.pick(ODDITIES, TAG.nameOddity, index, 1)(plain);
  return draw < 0.05 ? plain.toUpperCase() : plain;
}

function wordsOf(ctx: Context, index: number, version: number): string {
  const { dice } = ctx;
  const { script, cities } = marketCountryOf(ctx, index);
  const draw = dice.draw(TAG.name, index, version);
  if (script !== 'latin') {
    const [first, second] = OTHER_SCRIPTS[script];
    return `${first[draw % first.length]} ${second[(draw >>> 8) % second.length]} ${(draw >>> 16) % 1000}`;
  }
  const first = LATIN_FIRST[draw % LATIN_FIRST.length]!;
  const second = LATIN_SECOND[(draw >>> 8) % LATIN_SECOND.length]!;
  const shape = (draw >>> 20) % 10;
  if (shape < 6) return `${first} ${second}`;
  if (shape < 8) return `${first} ${second} ${cities[(draw >>> 24) % cities.length]![0]}`;
  return `${first} & ${LATIN_FIRST[(draw >>> 14) % LATIN_FIRST.length]} ${second}`;
}

/** Returns the brands, separated by commas. '' or null if there are none; undefined when the record lacks the field. */
export function brandsOf(ctx: Context, index: number): string | null | undefined {
  const { dice } = ctx;
  const draw = dice.unit(TAG.brands, index);
  if (draw < 0.5) return undefined;
  if (draw < 0.7) return null;
  if (draw < 0.8) return '';
  const count = draw < 0.93 ? 1 : draw < 0.98 ? 2 : 3;
  const from = dice.below(BRANDS.length, TAG.brands, index, 1);
  return Array.from({ length: count }, (_, n) => BRANDS[(from + n * 5) % BRANDS.length]).join(', ');
}
