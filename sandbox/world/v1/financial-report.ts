import type { V1FinancialReport, V1Report } from '../../../schemas/v1/financial-report.js';
import type { FinancialReport, FinancialYear } from '../../../schemas/v2/financial-report.js';
import { fromIso, toCompact } from '../calendar.js';
import type { Context } from '../context.js';
import { changeInPercent, filedOn } from '../finance.js';
import { idOf } from '../membership.js';
import { TAG } from '../tags.js';
import { marketCountryOf } from '../traits.js';

const DAY_SECONDS = 86_400;
/** Day of interim reports in the form `mmdd`: 31 March. */
const INTERIM = 331;

/**
 * Returns the report as `GET /v1/finder/company/financial` does. It has the numbers of the version 2 report, with one
 * entry for each year, newest first.
 *
 * 5 % of the companies also have an interim report of their latest year, as of 31 March. Companies whose fiscal year
 * ends on 31 March have none. The reference does not explain `progress`. The sandbox sends the change from the previous
 * year in percent.
 */
export function v1FinancialReport(ctx: Context, index: number, report: FinancialReport): V1FinancialReport {
  const years = Object.keys(report).toSorted().toReversed();
  const reports = years.map((year) => yearly(ctx, index, Number(year), report));
  const [latest] = reports;
  if (latest && latest.date % 10_000 > INTERIM && ctx.dice.chance(0.05, TAG.indicator, index, 7))
    reports.splice(1, 0, interimOf(latest));
  return { reports, country: marketCountryOf(ctx, index).code, companyId: String(idOf(ctx, index)) };
}

function yearly(ctx: Context, index: number, year: number, report: FinancialReport): V1Report {
  const indicators = report[String(year)]!;
  const before = report[String(year - 1)];
  const filed = filedOn(ctx, index, year);
  const numbers = Object.entries(indicators).flatMap(([name, value]) => {
    const number = numberOf(name, value);
    if (number === null) return [];
    const entry = { value: number, processedTime: filed * DAY_SECONDS, progress: progressOf(name, number, before) };
    return [[name, entry] as const];
  });
  return {
    date: toCompact(fromIso(String(indicators['Reported-Date']))!),
    indicators: Object.fromEntries(numbers),
    modifyDate: filed * DAY_SECONDS,
    sourceProcessedDate: toCompact(filed),
  };
}

/** Returns the value of an indicator as a number. Null for a value that is no number: version 1 leaves it out. */
function numberOf(name: string, value: FinancialYear[string]): number | null {
  if (value === null || value === undefined || name === 'Accounting-From-Date') return null;
  const number = typeof value === 'number' ? value : Number(value);
  return Number.isNaN(number) ? null : number;
}

function progressOf(name: string, value: number, before: FinancialYear | undefined): number {
  const previous = Number(before?.[name] ?? Number.NaN);
  const change = changeInPercent(value, previous);
  return Number.isNaN(change) ? 0 : change;
}

/** Returns an interim report as of 31 March of the same year. Each figure is half of the yearly figure. */
function interimOf(report: V1Report): V1Report {
  const year = Math.floor(report.date / 10_000);
  const halved = Object.entries(report.indicators).map(([name, { value, ...rest }]) => [
    name,
    { ...rest, value: value === null || value === undefined ? null : Math.round(value / 2) },
  ]);
  return { ...report, date: year * 10_000 + INTERIM, indicators: Object.fromEntries(halved) as V1Report['indicators'] };
}
