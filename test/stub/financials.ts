import { Digits } from './json.js';
import type { StubCompany } from './companies.js';

/** One value of a report: a number, a text, or a number that is sent as text. */
export interface StubValue {
  year: number;
  indicator: string;
  number: number | null;
  text: string | null;
}

/** Values of a company's reports; every seventh company has an empty report. */
export function valuesOf(company: StubCompany): StubValue[] {
  const { place, latestReport } = company;
  if (place % 7 === 0) return [];
  const years = [2022, 2023, 2024, 2025].filter((year) => year <= latestReport);
  return years.slice(place % 3).flatMap((year) => [
    { year, indicator: 'Currency', number: null, text: place % 2 === 0 ? 'DKK' : 'EUR' },
    { year, indicator: 'Reported-Date', number: null, text: `${year}-12-31` },
    { year, indicator: 'Turnover', number: place * 100 + year / 8, text: null },
    { year, indicator: 'Profit-after-Tax', number: -place, text: null },
    { year, indicator: 'Employee-Numbers', number: place % 90, text: String(place % 90) },
    // Indicators that the reference does not list.
    { year, indicator: 'Windmills-Owned', number: place % 4, text: null },
    { year, indicator: 'Auditor-Opinion', number: null, text: 'qualified' },
  ]);
}

/** The report as version 2 sends it; missing values are null. */
export function writeReport(company: StubCompany): Record<string, Record<string, unknown>> {
  const report: Record<string, Record<string, unknown>> = {};
  for (const { year, indicator, number, text } of valuesOf(company)) {
    const value = text ?? (number === null ? null : new Digits(String(number)));
    (report[String(year)] ??= { 'Dividends-Payable': null })[indicator] = value;
  }
  return report;
}

/** The numbers as version 1 sends them: dates as text or numbers, values as text. */
export function writeReportV1(company: StubCompany): Record<string, unknown> {
  const byYear = new Map<number, Record<string, { value: string }>>();
  for (const { year, indicator, number } of valuesOf(company)) {
    if (!byYear.has(year)) byYear.set(year, {});
    if (number !== null) byYear.get(year)![indicator] = { value: String(number) };
  }
  const reports = [...byYear].map(([year, indicators]) => ({
    date: company.place % 2 === 0 ? Number(`${year}1231`) : `${year}1231`,
    indicators,
  }));
  return { country: company.country.code, companyId: company.id, reports };
}
