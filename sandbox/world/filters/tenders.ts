import type { TenderMust, TendersRequest } from '../../../schemas/v1/tender.js';
import { fromIso } from '../calendar.js';
import type { TenderFacts } from '../tenders/tenders.js';
import { tenderSummary } from '../tenders/tenders.js';

/**
 * Returns the tenders that meet every condition of `must`. Both ends of a date range are included. A list matches when
 * one of its ids matches.
 */
export function filterTenders(tenders: readonly TenderFacts[], must: TenderMust): TenderFacts[] {
  const title = must.title?.toLowerCase();
  return tenders.filter(
    (facts) =>
      (title === undefined || facts.title.toLowerCase().includes(title)) &&
      hasAny(facts.countryIds, must.countries) &&
      hasAny(facts.industryIds, must.industries) &&
      hasAny([facts.typeId], must.types) &&
      hasAny([facts.statusId], must.status) &&
      hasAny(facts.donorIds, must.donors) &&
      isWithin(facts.deadline, must.deadline) &&
      isWithin(facts.announced, must.date_created),
  );
}

/** Returns whether a tender has one of the wanted ids. An empty or missing list means no condition. */
function hasAny(ids: readonly number[], wanted: readonly number[] | undefined): boolean {
  return wanted === undefined || wanted.length === 0 || ids.some((id) => wanted.includes(id));
}

function isWithin(day: number, range: TenderMust['deadline']): boolean {
  const from = range?.from === undefined ? -Infinity : fromIso(range.from)!;
  const to = range?.to === undefined ? Infinity : fromIso(range.to)!;
  return day >= from && day <= to;
}

/**
 * Sorts tenders by the keys in the given order. If all keys are equal, sorts by slug. Without keys, the order does not
 * change.
 */
export function sortTenders(tenders: TenderFacts[], sort: TendersRequest['sort']): TenderFacts[] {
  const keys = Object.entries(sort ?? {});
  if (keys.length === 0) return tenders;
  const rows = tenders.map((facts) => ({ facts, summary: tenderSummary(facts) }));
  rows.sort((a, b) => {
    for (const [key, direction] of keys) {
      const order = compare(String(a.summary[key]), String(b.summary[key]));
      if (order !== 0) return direction === 'desc' ? -order : order;
    }
    return compare(a.facts.slug, b.facts.slug);
  });
  return rows.map(({ facts }) => facts);
}

/** Compares by code unit, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
