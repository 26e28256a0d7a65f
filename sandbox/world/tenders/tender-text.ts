import type { Context } from '../context.js';
import { LATIN_FIRST } from '../data/words.js';
import { TAG } from '../tags.js';

const SUBJECTS = [
  'Supply of school furniture',
  'Renovation of the district hospital',
  'Rural road rehabilitation',
  'Bridge inspection services',
  'Deployment of a national data platform',
  'Water treatment plant, phase II',
  'Procurement of laboratory equipment',
  'Street lighting upgrade',
  'Audit of public accounts',
  'Training of teachers',
  'Delivery of office paper & toner',
  'Construction of 120 social homes',
  'Électrification rurale',
  'Bau einer Kläranlage',
  'Levering van ambulances',
  'Réhabilitation du port de pêche',
  'Maintenance of railway signals',
  'Reforestation of upland areas',
  'Micro-credit programme for farmers',
  'Solar pumps for irrigation',
  'Поставка медичного обладнання',
  'توريد معدات طبية',
  'Framework for legal advice',
  'Insurance of public vehicles',
  'Catering for "Zone 4" canteens',
] as const;

const BODIES = [
  'Ministry of Works',
  'Regional Water Board',
  'City Council',
  'Development Agency',
  'University Hospital',
  'Port Authority',
] as const;

/** Returns the title of a tender: subject, place and lot. */
export function tenderTitle(ctx: Context, number: number): string {
  const { dice } = ctx;
  const lot = dice.chance(0.4, TAG.tenderText, number, 1)
    ? `, lot ${1 + dice.below(9, TAG.tenderText, number, 2)}`
    : '';
  return `${dice.pick(SUBJECTS, TAG.tenderText, number)} – ${dice.pick(LATIN_FIRST, TAG.tenderText, number, 3)}${lot}`;
}

/**
 * Returns the slug of a tender: its title in plain letters, and its encoded number. The tender can be found by this
 * number.
 */
export function tenderSlug(ctx: Context, number: number): string {
  const words = tenderTitle(ctx, number)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return `${words === '' ? 'tender' : words}-${(number * 13 + 100_000).toString(36)}`;
}

/**
 * Returns the number at the end of a slug; undefined if it is invalid. Checks only the number, so the caller must
 * compare the whole slug.
 */
export function numberOfSlug(slug: string): number | undefined {
  const value = (Number.parseInt(slug.slice(slug.lastIndexOf('-') + 1), 36) - 100_000) / 13;
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Returns a description in HTML, like text pasted from many sources: with lists, entities and links. 5 % of the
 * descriptions contain an element that is not closed.
 */
export function tenderDescription(ctx: Context, number: number): string {
  const { dice } = ctx;
  const body = dice.pick(BODIES, TAG.tenderText, number, 4);
  const lots = 1 + dice.below(4, TAG.tenderText, number, 5);
  const items = Array.from(
    { length: lots },
    (_, n) => `<li>Lot ${n + 1}: ${10 + dice.below(990, TAG.tenderText, number, 10 + n)}&nbsp;units</li>`,
  );
  const unclosed = dice.chance(0.05, TAG.tenderText, number, 6) ? '<p>Unclosed <em>remark' : '';
  return (
    `<p><strong>${tenderTitle(ctx, number).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</strong></p>` +
    `<p>The ${body} invites bids.<br>Budget &gt; ${1 + dice.below(500, TAG.tenderText, number, 7)}&#8239;000&nbsp;EUR.</p>` +
    `<ul>${items.join('')}</ul><p>See <a href="https://tenders.example/n/${number}">the notice</a>.</p>${unclosed}`
  );
}
