import { dayNumber, firstDay, yearOf } from '../../src/crawl/search/plan/days.js';
import { NONE } from './columns.js';
import type { Criterion, GroupColumn, RangeColumn } from './market-index.js';

/** Behaviour of filters that the API reference leaves open. */
export interface FilterQuirks {
  /** How `company_incorporation` is read. Default `days`. `years-in-dates` accepts dates and uses only their year. */
  dates?: 'days' | 'years' | 'year-texts' | 'years-in-dates';
  /** Answer to a bound of the wrong kind: a refusal (default) or an empty page. */
  wrongBounds?: 'refused' | 'empty';
  /** True: `gte` and `lte` exclude the bound itself. */
  exclusive?: boolean;
  /** True: null and [null] select the companies without a value. */
  nullSelects?: boolean;
  /** Filter keys that the API ignores. */
  ignored?: readonly string[];
  /** Filter keys that the API refuses. */
  refused?: readonly string[];
  /** True: the API uses only the first of several values. */
  firstValueOnly?: boolean;
}

const RANGES: Record<string, RangeColumn> = {
  company_incorporation: 'incorporated',
  number_of_employees: 'employees',
  financial_turnover: 'turnover',
};
const GROUPS: Record<string, GroupColumn> = {
  company_status: 'status',
  legal_form: 'legalForm',
  location_countries: 'country',
  location_zip: 'zip',
  activity_type: 'activities',
};
// Names of the same filters in version 1 (reference v1, "Company filters").
const V1_KEYS: Record<string, string> = {
  status: 'company_status',
  ownership_type: 'legal_form',
  zip: 'location_zip',
  country: 'location_countries',
};

/** Range of values that a bound covers: a day, a year or a number. */
interface Span {
  first: number;
  last: number;
}

// The smallest step of any column is a cent.
const HALF_A_CENT = 0.005;
const OPEN_BELOW: Span = { first: -Infinity, last: -Infinity };
const OPEN_ABOVE: Span = { first: NONE, last: NONE };

/** Converts filters of version 1 or 2 to criteria. Returns the reason as text if they are refused. */
export function readFilters(filters: Record<string, unknown>, quirks: FilterQuirks): Criterion[] | string {
  const criteria: Criterion[] = [];
  for (const [word, value] of Object.entries(filters)) {
    const key = V1_KEYS[word] ?? word;
    if (quirks.ignored?.includes(key)) continue;
    const criterion = quirks.refused?.includes(key) ? `${key}: unknown filter` : readFilter(key, value, quirks);
    if (typeof criterion === 'string') return criterion;
    if (criterion) criteria.push(criterion);
  }
  return criteria;
}

/** Converts one filter. Returns null if it selects all companies, and the reason as text if it is refused. */
function readFilter(key: string, value: unknown, quirks: FilterQuirks): Criterion | string | null {
  const column = RANGES[key] ?? GROUPS[key];
  if (column === undefined) return `${key}: unknown filter`;
  const nothing = value === null || (Array.isArray(value) && value.length === 1 && value[0] === null);
  if (nothing) return quirks.nullSelects ? { column, none: true } : `${key}: null is not allowed`;
  if (RANGES[key]) return readRange(key, RANGES[key], value as Record<string, unknown>, quirks);
  const listed = Array.isArray(value) ? value : (value as { include?: unknown }).include;
  if (!Array.isArray(listed)) return `${key}: must be a list`;
  const values = (quirks.firstValueOnly ? listed.slice(0, 1) : listed).map(Number);
  return { column: GROUPS[key]!, values };
}

function readRange(
  key: string,
  column: RangeColumn,
  { gte, lte }: Record<string, unknown>,
  quirks: FilterQuirks,
): Criterion | string | null {
  if (gte === undefined && lte === undefined) return null;
  const read = column === 'incorporated' ? (bound: unknown) => readDays(bound, quirks.dates ?? 'days') : readNumber;
  const low = gte === undefined ? OPEN_BELOW : read(gte);
  const high = lte === undefined ? OPEN_ABOVE : read(lte);
  if (!low || !high) return `${key}: a bound has the wrong kind`;
  return quirks.exclusive
    ? { column, from: low.last + HALF_A_CENT, to: high.first - HALF_A_CENT }
    : { column, from: low.first, to: high.last };
}

function readNumber(bound: unknown): Span | null {
  return typeof bound === 'number' ? { first: bound, last: bound } : null;
}

/** First and last day that a bound of `company_incorporation` covers. null for a bound of the wrong kind. */
function readDays(bound: unknown, dates: NonNullable<FilterQuirks['dates']>): Span | null {
  const day = typeof bound === 'string' && bound.length === 10 ? dayNumber(bound) : undefined;
  if (dates === 'days') return day === undefined ? null : { first: day, last: day };
  if (dates === 'years-in-dates') return day === undefined ? null : yearSpan(yearOf(day));
  if (dates === 'years') return typeof bound === 'number' ? yearSpan(bound) : null;
  return typeof bound === 'string' && /^\d{4}$/.test(bound) ? yearSpan(Number(bound)) : null;
}

function yearSpan(year: number): Span {
  return { first: firstDay(year, 1), last: firstDay(year + 1, 1) - 1 };
}
