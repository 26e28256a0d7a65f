import { isObject } from '../http/validate.js';

/** Kinds of schema drift: `field` adds a field, `type` changes the type of a value, `missing` removes a field. */
export const DRIFT_KINDS = ['field', 'type', 'missing'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

type Change = Record<DriftKind, (record: Record<string, unknown>) => Record<string, unknown>>;

const COMPANY: Change = {
  field: (company) => ({ ...company, climate_rating: 'B+', group: { id: 7, name: 'Group' } }),
  type: (company) => ({ ...company, zip_code: digitsOf(company.zip_code) }),
  missing: (company) => without(company, 'company_legal_form'),
};

const SEARCH: Change = {
  field: (page) => ({ ...page, data: rows(page).map((row, i) => ({ ...row, rank: i + 1 })) }),
  type: (page) => ({ ...page, total_pages: String(page.total_pages) }),
  missing: (page) => ({ ...page, data: rows(page).map((row) => without(row, 'name')) }),
};

const REPORT: Change = {
  field: (report) => eachYear(report, (year) => ({ ...year, 'Carbon-Tonnes': 12.5 })),
  type: (report) => eachYear(report, (year) => ({ ...year, Cash: { value: year.Cash ?? null } })),
  missing: (report) => report,
};

const V1_REPORTS: Change = {
  field: (answer) => eachReport(answer, (report) => ({ ...report, currency: 'EUR' })),
  type: (answer) => eachReport(answer, (report) => ({ ...report, modifyDate: String(report.modifyDate) })),
  missing: (answer) => eachReport(answer, (report) => without(report, 'sourceProcessedDate')),
};

const CHANGES: [RegExp, Change][] = [
  [/^\/v2\/companies\/\d+$/, COMPANY],
  [/^\/v2\/prospecting$/, SEARCH],
  [/^\/v2\/financial\/\d+$/, REPORT],
  [/^\/v1\/finder\/company\/financial$/, V1_REPORTS],
];

/**
 * Applies the given kinds of schema drift to an answer. Changes only the answers of four routes: `/v2/companies/{id}`,
 * `/v2/prospecting`, `/v2/financial/{id}` and `/v1/finder/company/financial`. Error answers (with `detail`) stay
 * unchanged.
 */
export function withDrift(payload: unknown, path: string, kinds: readonly DriftKind[]): unknown {
  const change = kinds.length === 0 ? undefined : CHANGES.find(([pattern]) => pattern.test(path))?.[1];
  if (change === undefined || !isObject(payload) || 'detail' in payload) return payload;
  return kinds.reduce((answer, kind) => change[kind](answer), payload);
}

function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function digitsOf(value: unknown): number {
  return typeof value === 'string' ? Number(value.replaceAll(/\D/g, '')) : 0;
}

function rows(page: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(page.data) ? page.data.filter(isObject) : [];
}

function eachYear(
  report: Record<string, unknown>,
  change: (year: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(report).map(([year, values]) => [year, isObject(values) ? change(values) : values]),
  );
}

function eachReport(
  answer: Record<string, unknown>,
  change: (report: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  return Array.isArray(answer.reports) ? { ...answer, reports: answer.reports.filter(isObject).map(change) } : answer;
}
