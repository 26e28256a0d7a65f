import { marketNight, type Answer } from '../../helpers/warehouse.js';

const IDS = [1, 2, 3, 4, 5];
const FIRST = Date.parse('2026-01-01T00:00:00Z');

/** Models of the published file, with the models that they read. */
export const MODELS = [
  'core.companies',
  'core.financials',
  'core.financials_history',
  'marts.market_members',
  'ops.night_quality',
];

/**
 * Queries that return the number of the night, each from another table or view. Their results differ if a file or a lake
 * contains tables of several nights.
 */
export const MARKERS: Readonly<Record<string, string>> = {
  'core.companies': "SELECT min(CAST(split_part(name, ' ', 2) AS INTEGER)) FROM core.companies",
  'core.companies, latest': "SELECT max(CAST(split_part(name, ' ', 2) AS INTEGER)) FROM core.companies",
  'core.companies_history':
    "SELECT min(CAST(split_part(name, ' ', 2) AS INTEGER)) FROM core.companies_history WHERE is_current",
  'core.financials': "SELECT CAST(min(value_double) AS INTEGER) FROM core.financials WHERE indicator = 'Turnover'",
  'core.financials, latest':
    "SELECT CAST(max(value_double) AS INTEGER) FROM core.financials WHERE indicator = 'Turnover'",
  'core.financials_history':
    "SELECT CAST(min(value_double) AS INTEGER) FROM core.financials_history WHERE indicator = 'Turnover' AND is_current",
  'core.report_years':
    "SELECT date_diff('day', DATE '2026-01-01', CAST(max(observed_at) AS DATE)) FROM core.report_years",
  'marts.market_members': "SELECT date_diff('day', DATE '2026-01-01', max(date)) FROM marts.market_members",
  'ops.runs': 'SELECT max(CAST(run_id[2:] AS INTEGER)) FROM ops.runs',
  'meta.receipt': 'SELECT CAST(run[2:] AS INTEGER) FROM meta.receipt',
};

/** One query with all markers. */
export const ALL_MARKERS = `SELECT ${Object.values(MARKERS)
  .map((sql, i) => `(${sql}) AS m${i}`)
  .join(', ')}`;

/** The answers of a night. Each record, report and run has the night's number. */
export function answersOf(night: number): Answer[] {
  const run = `n${night}`;
  const date = new Date(FIRST + night * 86_400_000).toISOString().slice(0, 10);
  const at = `${date}T02:30:00.000Z`;
  const place = { run, date, at, market: 'm' };
  return [
    ...marketNight({ run, date, ids: IDS }),
    ...IDS.flatMap((id): Answer[] => [
      { ...place, stream: 'companies', entity: String(id), body: { id, name: `Night ${night}`, status: 'Active' } },
      {
        ...place,
        stream: 'financials',
        entity: String(id),
        body: { 2025: { Turnover: night, Currency: 'EUR' }, 2024: { Cash: id, Currency: 'EUR' } },
      },
    ]),
  ];
}
