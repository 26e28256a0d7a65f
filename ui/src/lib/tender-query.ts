import { equals, literal, orderBy, WITHOUT, type Order } from './list-query.js';

/** What a list of tenders is limited to. Empty values limit nothing. */
export interface TenderFilter {
  /** `all`, `closed`, or empty: open tenders only. */
  stage: string;
  /** Words of the title or the text. */
  q: string;
  status: string;
  type: string;
  country: string;
  industry: string;
  donor: string;
  /** First and last day of the deadline, `YYYY-MM-DD`. */
  from: string;
  to: string;
}

/** The filters, in the order of the page. */
export const TENDER_FILTERS: readonly (readonly [keyof TenderFilter, string])[] = [
  ['q', 'Text'],
  ['stage', 'Stage'],
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['donor', 'Donor'],
  ['status', 'Status'],
  ['type', 'Type'],
  ['from', 'Deadline from'],
  ['to', 'Deadline to'],
];

const DONORS =
  'SELECT slug, list(name ORDER BY position) AS donors FROM core.tender_donors WHERE name IS NOT NULL GROUP BY slug';

/** What a list of tenders can be sorted by: the columns of the page, with their expressions. */
export const TENDER_ORDERS: Readonly<Record<string, string>> = {
  title: 't.title',
  deadline: 't.deadline_date',
  days: 'p.days_left',
  status: 't.status',
  type: 'coalesce(t.type, t.project_type)',
  countries: 't.countries',
  industries: 't.industries',
  donors: 'd.donors',
  announced: 't.announced_date',
};
export const BY_DEADLINE = { id: 'deadline', desc: false };

/** Writes the query of a list: tenders that match the filter, in an order. Missing values are last. */
export function tenderQuery(filter: TenderFilter, order: Order = BY_DEADLINE): string {
  const where = conditions(filter);
  return [
    'SELECT t.slug, t.title, t.status, coalesce(t.type, t.project_type) AS type, t.deadline_date, p.days_left,',
    '  t.announced_date, t.countries, t.industries, d.donors',
    'FROM core.tenders AS t',
    'LEFT JOIN marts.tender_pipeline AS p USING (slug)',
    `LEFT JOIN (${DONORS}) AS d USING (slug)`,
    ...(where.length > 0 ? [`WHERE ${where.join('\n  AND ')}`] : []),
    `${orderBy(TENDER_ORDERS, order, 't.deadline_date')}, t.slug`,
  ].join('\n');
}

/**
 * Writes the query of a month: tenders that match the filter by the day of their deadline, with the first three. A row
 * without a day counts those without a deadline.
 * @param month `YYYY-MM`
 */
export function calendarQuery(filter: TenderFilter, month: string): string {
  const first = `TRY_CAST(${literal(`${month}-01`)} AS DATE)`;
  return [
    'SELECT deadline_date, count(*) AS tenders,',
    "  list({'slug': slug, 'title': title} ORDER BY slug)[:3] AS first_tenders",
    `FROM (${tenderQuery(filter)})`,
    `WHERE deadline_date IS NULL OR deadline_date >= ${first} AND deadline_date < ${first} + INTERVAL 1 MONTH`,
    'GROUP BY deadline_date',
    'ORDER BY deadline_date NULLS LAST',
  ].join('\n');
}

function conditions({ stage, q, status, type, country, industry, donor, from, to }: TenderFilter): string[] {
  return [
    stage === 'all' ? '' : stage === 'closed' ? 'p.slug IS NULL' : 'p.slug IS NOT NULL',
    ...words(q).map((word) => `contains(${TEXT}, strip_accents(lower(${literal(word)})))`),
    equals('t.status', status),
    equals('coalesce(t.type, t.project_type)', type),
    has('t.countries', country),
    has('t.industries', industry),
    has('d.donors', donor),
    from === '' ? '' : `t.deadline_date >= TRY_CAST(${literal(from)} AS DATE)`,
    to === '' ? '' : `t.deadline_date <= TRY_CAST(${literal(to)} AS DATE)`,
  ].filter((part) => part !== '');
}

const TEXT = "strip_accents(lower(concat_ws(' ', t.title, t.description_text, t.slug)))";
/** More words than this are ignored. */
const MAX_WORDS = 12;

function words(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

function has(column: string, value: string): string {
  if (value === '') return '';
  return value === WITHOUT ? `coalesce(len(${column}), 0) = 0` : `list_contains(${column}, ${literal(value)})`;
}

/** Returns the address of a tender's page. */
export function tenderAddress(slug: string): string {
  return `/tender?slug=${encodeURIComponent(slug)}`;
}
