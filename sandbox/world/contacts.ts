import { KIND, type Versions } from './changes.js';
import type { Context } from './context.js';
import { STREETS } from './data/words.js';
import { idOf, indexOf } from './membership.js';
import { nameOfVersion } from './names.js';
import { TAG } from './tags.js';
import { cityOf, marketCountryOf, zipRankOf } from './traits.js';

/*
 * Contact data of a company. Domains end in the reserved `.example`; telephone numbers contain 555 0. Each function
 * takes the version of its attribute, because an event needs the values before and after a change.
 */

const LOCAL_PARTS = ['info', 'office', 'hello', 'kontakt', 'sales', 'post', 'accounts'] as const;

/** The domain that was computed last. It is kept, because one company record needs its domain six times. */
let lastDomain: { ctx: Context; index: number; name: string } | undefined;

/** Returns the first part of the company's domain. It never changes and ends in the company's id in base 36. */
export function domainNameOf(ctx: Context, index: number): string {
  if (lastDomain?.ctx === ctx && lastDomain.index === index) return lastDomain.name;
  const words = nameOfVersion(ctx, index, 0)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30)
    .replace(/-+$/, '');
  const name = `${words === '' ? 'co' : words}-${idOf(ctx, index).toString(36)}`;
  lastDomain = { ctx, index, name };
  return name;
}

/** Returns whether the company has a website. A quarter of the companies have none. */
export function hasWebsite(ctx: Context, index: number, version: number): boolean {
  return !ctx.dice.chance(0.25, TAG.website, index, version);
}

/** Returns the website in one version, without scheme; null if there is none. */
export function websiteOf(ctx: Context, index: number, version: number): string | null {
  if (!hasWebsite(ctx, index, version)) return null;
  return `${version === 0 ? 'www' : `w${version}`}.${domainNameOf(ctx, index)}.example`;
}

/**
 * Returns the index of the company to which a website, domain, e-mail or profile address belongs. Also finds a company
 * by its earlier addresses.
 */
export function indexOfAddress(ctx: Context, text: string): number | undefined {
  const id36 = /-([0-9a-z]+)(?:\.example)?(?:[/?#].*)?$/.exec(text.trim().toLowerCase())?.[1];
  return id36 === undefined ? undefined : indexOf(ctx, Number.parseInt(id36, 36));
}

/** Returns up to three e-mail addresses. A fifth of the companies have none. */
export function emailsOf(ctx: Context, index: number, version: number): string[] {
  const count = countOf(ctx, TAG.email, index, version);
  const from = ctx.dice.below(LOCAL_PARTS.length, TAG.email, index, version * 4 + 1);
  return Array.from(
    { length: count },
    (_, n) =>
      `${LOCAL_PARTS[(from + n) % LOCAL_PARTS.length]}${version === 0 ? '' : version}@${domainNameOf(ctx, index)}.example`,
  );
}

export function phonesOf(ctx: Context, index: number, version: number): string[] {
  return numbersOf(ctx, TAG.phone, index, version, countOf(ctx, TAG.phone, index, version));
}

/** Returns whether the company has a fax number. 80 % of the companies have none. */
export function hasFax(ctx: Context, index: number, version: number): boolean {
  return !ctx.dice.chance(0.8, TAG.fax, index, version);
}

/** Returns the fax numbers; null if there are none. */
export function faxesOf(ctx: Context, index: number, version: number): string[] | null {
  return hasFax(ctx, index, version) ? numbersOf(ctx, TAG.fax, index, version, 1) : null;
}

/** Returns how many telephone numbers (TAG.phone) or e-mail addresses (TAG.email) the company has. */
export function countOf(ctx: Context, tag: number, index: number, version: number): number {
  const draw = ctx.dice.unit(tag, index, version * 4);
  return draw < 0.2 ? 0 : draw < 0.85 ? 1 : draw < 0.97 ? 2 : 3;
}

function numbersOf(ctx: Context, tag: number, index: number, version: number, count: number): string[] {
  const { dialing } = marketCountryOf(ctx, index);
  return Array.from(
    { length: count },
    (_, n) => `+${dialing} 555 0${String(ctx.dice.below(1_000_000, tag, index, version * 4 + n + 1)).padStart(6, '0')}`,
  );
}

/** Returns street and house number. */
export function streetOf(ctx: Context, index: number, versions: Versions): string {
  const draw = ctx.dice.draw(TAG.street, index, versions.get(KIND.street) * 1000 + versions.get(KIND.move));
  return `${STREETS[draw % STREETS.length]} ${1 + ((draw >>> 8) % 240)}${draw >>> 28 === 0 ? 'B' : ''}`;
}

/** Returns the postcode; null if the country has no postcodes. */
export function zipOf(ctx: Context, index: number, versions: Versions): string | null {
  const rank = zipRankOf(ctx, index, versions);
  return rank === undefined ? null : zipText(marketCountryOf(ctx, index), rank);
}

/**
 * Returns the postcode with a rank; rank 0 is the most common postcode. Each rank has its own postcode. The ranks are
 * spread over all postcodes that the pattern allows.
 */
export function zipText(country: { zipPattern: string; zips: number }, rank: number): string {
  const places = country.zipPattern.split('').map((char) => (char === '9' ? 10 : char === 'A' ? 26 : 0));
  const capacity = places.reduce((product, base) => (base === 0 ? product : product * base), 1);
  let rest = Math.floor(capacity / 7) + rank * Math.floor((capacity * 0.8) / country.zips);
  return country.zipPattern
    .split('')
    .toReversed()
    .map((char, n) => {
      const base = places[places.length - 1 - n]!;
      if (base === 0 || (char === 'A' && base !== 26)) return char;
      const digit = rest % base;
      rest = Math.floor(rest / base);
      return base === 10 ? String(digit) : String.fromCharCode(65 + digit);
    })
    .toReversed()
    .join('');
}

/** Returns the city and its region. */
export function cityNameOf(ctx: Context, index: number, versions: Versions): readonly [string, string | null] {
  return marketCountryOf(ctx, index).cities[cityOf(ctx, index, versions)]!;
}

export function hasPronet(ctx: Context, index: number): boolean {
  return ctx.dice.draw(TAG.profiles, index) % 100 < 45;
}

/** Returns the profile addresses [pronet, microblog, socialnet]. Each is null for many companies. */
export function profilesOf(ctx: Context, index: number): [string | null, string | null, string | null] {
  const draw = ctx.dice.draw(TAG.profiles, index);
  const name = domainNameOf(ctx, index);
  return [
    hasPronet(ctx, index) ? `https://pronet.example/company/${name}` : null,
    (draw >>> 8) % 100 < 25 ? `https://microblog.example/company/${name}` : null,
    (draw >>> 16) % 100 < 35 ? `https://socialnet.example/company/${name}` : null,
  ];
}
