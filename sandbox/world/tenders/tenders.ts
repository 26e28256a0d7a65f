import type { TenderDetails, TenderSummary } from '../../../schemas/v1/tender.js';
import { toIso } from '../calendar.js';
import type { Context } from '../context.js';
import { TENDER_COUNTRIES } from '../data/country-ids.js';
import { TENDER_INDUSTRIES, TENDER_STATUSES, TENDER_TYPES } from '../data/nomenclatures.js';
import { TAG } from '../tags.js';
import { numberOfSlug, tenderDescription, tenderSlug, tenderTitle } from './tender-text.js';

/*
 * Tenders are announced at a steady rate, before and after the start date. With this rate, the requested number of
 * tenders is announced in the 18 months before the start date. Tenders are numbered in the order of their announcement,
 * counted from a fixed date. So a market with a later start date has the same tenders.
 */

const WINDOW_DAYS = 548;

/** Organisations that finance tenders. The reference does not show their shape. */
export const DONORS: readonly { id: number; name: string }[] = [
  'Northern Development Fund',
  'Coastal Cooperation Bank',
  'Alliance for Rural Health',
  'River Basin Commission',
  'Fund for Fair Schools',
  'Green Transition Facility',
  'Islands Solidarity Fund',
  'Agency for Safe Roads',
  'Mountain States Bank',
  'Open Data Trust',
  'Partnership for Clean Water',
  'Reconstruction Facility',
].map((name, position) => ({ id: 300 + position * 9, name }));

/** The attributes of a tender that filters and sorting use, as of one day. */
export interface TenderFacts {
  number: number;
  slug: string;
  title: string;
  /** Unix day of the announcement. */
  announced: number;
  /** Unix day of the deadline. */
  deadline: number;
  statusId: number;
  typeId: number;
  countryIds: number[];
  industryIds: number[];
  donorIds: number[];
}

/** Returns the unix day on which a tender is announced. */
function announcedOn(ctx: Context, number: number): number {
  return Math.floor((number * WINDOW_DAYS) / ctx.options.tenders);
}

/**
 * Returns the first and last number of the tenders listed on a unix day. These were announced by that day, and at the
 * earliest 18 months before the start date.
 */
export function tenderNumbers(ctx: Context, day: number): { first: number; last: number } {
  const pace = ctx.options.tenders / WINDOW_DAYS;
  return {
    first: Math.ceil((ctx.start - WINDOW_DAYS + 1) * pace),
    last: Math.ceil((day + 1) * pace) - 1,
  };
}

/** Returns the facts of a tender on a unix day. */
export function tenderFacts(ctx: Context, number: number, day: number): TenderFacts {
  const { dice } = ctx;
  const announced = announcedOn(ctx, number);
  const deadline = announced + 20 + dice.below(140, TAG.tender, number, 1);
  const ids = (list: readonly { id: number }[], most: number, salt: number): number[] => {
    const count = 1 + dice.below(most, TAG.tenderParties, number, salt);
    const picked = Array.from({ length: count }, (_, n) => dice.pick(list, TAG.tenderParties, number, salt + 1 + n).id);
    return [...new Set(picked)];
  };
  return {
    number,
    slug: tenderSlug(ctx, number),
    title: tenderTitle(ctx, number),
    announced,
    deadline,
    statusId: statusOn(ctx, number, announced, deadline, day),
    typeId: dice.pick([1, 1, 1, 1, 1, 1, 3, 3, 5], TAG.tender, number, 2),
    countryIds: dice.chance(0.03, TAG.tender, number, 3)
      ? []
      : ids(TENDER_COUNTRIES, dice.chance(0.8, TAG.tender, number, 4) ? 1 : 4, 100),
    industryIds: ids(TENDER_INDUSTRIES, 3, 200),
    donorIds: dice.chance(0.4, TAG.tender, number, 5) ? [] : ids(DONORS, 2, 300),
  };
}

/**
 * Returns the status of a tender on a unix day, as an id of `TENDER_STATUSES`:
 * - 3 Forecast: for a quarter of the tenders, on the first 5 to 18 days. Then 1.
 * - 1 Accepting bids: up to and including the deadline. Then 2.
 * - 2 Closed. 40 % change to 5, 20 to 79 days after the deadline.
 * - 5 Contract award: final.
 * - 4 Not specified: for 5 % of the tenders, on every day.
 */
function statusOn(ctx: Context, number: number, announced: number, deadline: number, day: number): number {
  const { dice } = ctx;
  if (dice.chance(0.05, TAG.tenderStatus, number)) return 4;
  const opens =
    announced + (dice.chance(0.25, TAG.tenderStatus, number, 1) ? 5 + dice.below(14, TAG.tenderStatus, number, 2) : 0);
  if (day < opens) return 3;
  if (day <= deadline) return 1;
  const awarded = deadline + 20 + dice.below(60, TAG.tenderStatus, number, 3);
  return day >= awarded && dice.chance(0.4, TAG.tenderStatus, number, 4) ? 5 : 2;
}

/** Returns the facts of all tenders listed on a unix day. The newest announcement comes first. */
export function listTenders(ctx: Context, day: number): TenderFacts[] {
  const { first, last } = tenderNumbers(ctx, day);
  const facts: TenderFacts[] = [];
  for (let number = last; number >= first; number--) facts.push(tenderFacts(ctx, number, day));
  return facts;
}

/** Returns the facts of the tender with a slug on a unix day. Undefined when no listed tender has the slug. */
export function findTender(ctx: Context, slug: string, day: number): TenderFacts | undefined {
  const number = numberOfSlug(slug);
  const { first, last } = tenderNumbers(ctx, day);
  if (number === undefined || number < first || number > last || tenderSlug(ctx, number) !== slug) return undefined;
  return tenderFacts(ctx, number, day);
}

function names(entries: readonly { id: number; name: string }[], ids: readonly number[]): string[] {
  return ids.map((id) => entries.find((entry) => entry.id === id)!.name);
}

/** Returns a tender as an item of `POST /v1/finder/tenders`. */
export function tenderSummary(facts: TenderFacts): TenderSummary {
  return {
    countries: names(TENDER_COUNTRIES, facts.countryIds),
    announced_date: toIso(facts.announced),
    deadline_date: toIso(facts.deadline),
    title: facts.title,
    status: names(TENDER_STATUSES, [facts.statusId])[0],
    project_type: names(TENDER_TYPES, [facts.typeId])[0],
    slug: facts.slug,
  };
}

/** Returns a tender as `GET /v1/finder/tenders/details` does. */
export function tenderDetails(ctx: Context, facts: TenderFacts): TenderDetails {
  const { dice } = ctx;
  const { number } = facts;
  const contactId = number * 10 + 700_000;
  const attachments = dice.below(4, TAG.tenderParties, number, 1);
  const has = (share: number, salt: number): boolean => dice.chance(share, TAG.tenderParties, number, salt);
  return {
    description: tenderDescription(ctx, number),
    donors: facts.donorIds.map((id) => DONORS.find((donor) => donor.id === id)!),
    attachments: Array.from(
      { length: attachments },
      (_, n) => `https://tenders.example/files/${number}/part-${n + 1}.pdf`,
    ),
    contacts: {
      mobile: has(0.5, 2)
        ? [{ type: 'mobile', name: `+00 555 0${String(number % 1_000_000).padStart(6, '0')}`, id: contactId }]
        : [],
      name: has(0.8, 3) ? [{ type: 'name', name: 'Procurement Office', id: contactId + 1 }] : [],
      email: has(0.9, 4) ? [{ type: 'email', name: `bids-${number}@tenders.example`, id: contactId + 2 }] : [],
    },
    type: names(TENDER_TYPES, [facts.typeId])[0],
    slug: facts.slug,
    deadline_date: `${toIso(facts.deadline)}T${has(0.7, 5) ? '17:00' : '00:00'}:00`,
    title: facts.title,
    industries: names(TENDER_INDUSTRIES, facts.industryIds),
    announced_date: `${toIso(facts.announced)}T00:00:00`,
    countries: names(TENDER_COUNTRIES, facts.countryIds),
    status: names(TENDER_STATUSES, [facts.statusId])[0],
    logo: has(0.3, 6) ? `https://tenders.example/logos/${number % 40}.png` : null,
  };
}
