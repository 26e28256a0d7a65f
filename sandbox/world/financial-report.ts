import type { FinancialReport, FinancialYear } from '../../schemas/v2/financial-report.js';
import { DOUBLE_INDICATORS } from '../../schemas/v2/indicators.js';
import { newYear, toCompact, toIso } from './calendar.js';
import type { Versions } from './changes.js';
import type { Context } from './context.js';
import {
  changeInPercent,
  ebitdaOf,
  employeesIn,
  FIGURE,
  figureOf,
  fiscalYearsOf,
  isConsolidated,
  operatingProfitOf,
  roundAs,
  taxationOf,
} from './finance.js';
import { TAG } from './tags.js';
import { marketCountryOf } from './traits.js';

/**
 * Days from the end of the fiscal year to the end of the calendar year. For most companies, the fiscal year ends on 31
 * December. For the others, it ends on 30 September, 30 June or 31 March.
 */
const YEAR_END_SHIFTS = [0, 0, 0, 0, 0, 0, 92, 184, 275] as const;

/** Figures for which the report also has the change from the previous year. */
const YOY = [
  ['Turnover-Yoy', FIGURE.turnover],
  ['Profit-after-Tax-Yoy', FIGURE.profit],
  ['Total-Liabilities-Yoy', FIGURE.liabilities],
  ['Exports-Yoy', FIGURE.exports],
] as const;

/**
 * Indicators that `addExtras` never adds. `reportYear` writes some of them itself; the others make no
 * sense without a turnover.
 */
const NOT_EXTRA =
  /^(Turnover|EBITDA|Total-Assets|Total-Liabilities|Net-Assets|Net-Worth|Shareholder-Funds|Cash|Profit-after-Tax|Pre-Tax-Profit|Taxation|Operating-Profit|Gross-Profit|Cost-of-Sales|Directors-Remuneration|Total-Current-Assets|Total-Current-Liabilities|Working-Capital|Tangible-Assets|Share-Capital|Retained-Profit)$|-Yoy$|Turnover|Sales|Revenue|Margin/;
const EXTRAS = DOUBLE_INDICATORS.filter((name) => !NOT_EXTRA.test(name));

/**
 * Returns the report as `GET /v2/financial/{id}` does, with the years filed by a unix day. Returns `{}` for a company
 * without accounts.
 */
export function financialReport(ctx: Context, index: number, day: number, versions: Versions): FinancialReport {
  const report: FinancialReport = {};
  const years = fiscalYearsOf(ctx, index, day);
  if (years === undefined) return report;
  for (let year = years.first; year <= years.last; year++) {
    report[String(year)] = reportYear(ctx, index, year, year > years.first, versions);
  }
  return report;
}

function reportYear(
  ctx: Context,
  index: number,
  year: number,
  hasPrevious: boolean,
  versions: Versions,
): FinancialYear {
  const { dice } = ctx;
  const out: FinancialYear = {};
  const shift = YEAR_END_SHIFTS[dice.below(YEAR_END_SHIFTS.length, TAG.filing, index, 2)]!;
  const end = newYear(year + 1) - 1 - shift;

  out['Reported-Date'] = toIso(end);
  out['Currency'] = marketCountryOf(ctx, index).currency;
  out['Accounting-From-Date'] = toCompact(end - 364);
  if (dice.chance(0.6, TAG.indicator, index, 1))
    out['Company-Accounts-Status'] = dice.pick(['Full', 'Abridged', 'Micro'], TAG.indicator, index, 2);
  if (isConsolidated(ctx, index)) out['Consolidated-Accounts'] = 'Yes';

  const [turnover, profit] = [
    figureOf(ctx, index, FIGURE.turnover, year, versions),
    figureOf(ctx, index, FIGURE.profit, year, versions)!,
  ];
  const [assets, liabilities] = [
    figureOf(ctx, index, FIGURE.assets, year, versions)!,
    figureOf(ctx, index, FIGURE.liabilities, year, versions)!,
  ];
  const taxation = taxationOf(ctx, index, profit);
  const operating = operatingProfitOf(ctx, index, profit);
  if (turnover !== null) {
    out['Turnover'] = asText(ctx, index, year, 0, turnover);
    out['Cost-of-Sales'] = roundAs(ctx, index, turnover * 0.62);
    out['Gross-Profit'] = roundAs(ctx, index, turnover * 0.38);
    out['Operating-Profit-Margin'] = Math.round((operating / turnover) * 10_000) / 100;
  }
  out['Operating-Profit'] = operating;
  out['EBITDA'] = ebitdaOf(ctx, index, year, versions);
  out['Pre-Tax-Profit'] = roundAs(ctx, index, profit + taxation);
  out['Taxation'] = taxation;
  out['Profit-after-Tax'] = asText(ctx, index, year, 1, profit);
  out['Total-Assets'] = assets;
  out['Total-Liabilities'] = liabilities;
  out['Net-Assets'] = roundAs(ctx, index, assets - liabilities);
  out['Net-Worth'] = roundAs(ctx, index, assets - liabilities);
  out['Shareholder-Funds'] = roundAs(ctx, index, assets - liabilities);
  out['Cash'] = figureOf(ctx, index, FIGURE.cash, year, versions);
  out['Total-Current-Assets'] = roundAs(ctx, index, assets * 0.55);
  out['Total-Current-Liabilities'] = roundAs(ctx, index, liabilities * 0.6);
  out['Working-Capital'] = roundAs(ctx, index, assets * 0.55 - liabilities * 0.6);
  const directors = figureOf(ctx, index, FIGURE.directors, year, versions);
  if (directors !== null) out['Directors-Remuneration'] = directors;
  const employees = employeesIn(ctx, index, year);
  if (employees !== null) out['Employee-Numbers'] = employees;
  if (hasPrevious) addYoy(ctx, index, year, versions, out);
  addExtras(ctx, index, year, assets, out);
  return out;
}

function addYoy(ctx: Context, index: number, year: number, versions: Versions, out: FinancialYear): void {
  for (let n = 0; n < YOY.length; n++) {
    const [name, figure] = YOY[n]!;
    const now = figureOf(ctx, index, figure, year, versions);
    const before = figureOf(ctx, index, figure, year - 1, versions);
    if (now !== null && before !== null) setNumber(out, name, changeInPercent(now, before));
  }
  const ebitda = ebitdaOf(ctx, index, year, versions);
  setNumber(out, 'EBITDA-Yoy', changeInPercent(ebitda, ebitdaOf(ctx, index, year - 1, versions)));
  const [now, before] = [employeesIn(ctx, index, year), employeesIn(ctx, index, year - 1)];
  if (now !== null && before !== null) out['Employee-Numbers-Yoy'] = changeInPercent(now, before);
}

function setNumber(out: FinancialYear, name: string, value: number): void {
  if (!Number.isNaN(value)) out[name] = value;
}

/** Adds up to 16 more indicators, the same ones in each year. For about one company in 50, adds all indicators. */
function addExtras(ctx: Context, index: number, year: number, assets: number, out: FinancialYear): void {
  const { dice } = ctx;
  const all = dice.chance(0.02, TAG.indicator, index, 4);
  if (all) addRatios(ctx, index, assets, out);
  const count = all ? EXTRAS.length : dice.below(17, TAG.indicator, index, 5);
  const from = all ? 0 : dice.below(EXTRAS.length, TAG.indicator, index, 6);
  for (let n = 0; n < count; n++) {
    const position = (from + n * 7) % EXTRAS.length;
    const name = EXTRAS[all ? n : position]!;
    const draw = dice.draw(TAG.indicatorOddity, index, year * 512 + (all ? n : position));
    // One value in 250 is null, like a field that nobody filled in.
    out[name] = draw % 250 === 0 ? null : roundAs(ctx, index, assets * (((draw >>> 10) % 4000) / 20_000));
  }
}

/**
 * Adds indicators derived from the other figures: ratios in percent, and periods in days. Adds ratios of the turnover
 * only if there is a turnover.
 */
function addRatios(ctx: Context, index: number, assets: number, out: FinancialYear): void {
  out['Share-Capital'] = roundAs(ctx, index, assets * 0.05);
  out['Retained-Profit'] = roundAs(ctx, index, assets * 0.1);
  out['Tangible-Assets'] = roundAs(ctx, index, assets * 0.3);
  out['Share-of-Profit-in-Associates-or-Joint-Ventures'] = 'No';
  const turnover = Number(out['Turnover'] ?? Number.NaN);
  if (!(turnover > 0)) return;
  const percent = (part: unknown): number => Math.round((Number(part) / turnover) * 10_000) / 100;
  out['Gross-Margin'] = percent(out['Gross-Profit']);
  out['Net-Margin'] = percent(out['Profit-after-Tax']);
  out['Pretax-Profit-Margin'] = percent(out['Pre-Tax-Profit']);
  out['EBITDA-Margin'] = percent(out['EBITDA']);
  out['CFO-To-Sales-Ratio'] = percent(out['EBITDA']);
  out['Cash-To-Turnover'] = percent(out['Cash']);
  out['Days-Sales-Outstanding'] = Math.round((assets * 0.15 * 365) / turnover);
  out['Inventory-Turnover-Ratio'] = Math.round((turnover / (assets * 0.1)) * 100) / 100;
  out['World-Turnover'] = turnover;
  const employees = Number(out['Employee-Numbers'] ?? 0);
  if (employees > 0) out['Revenue-Per-Employee'] = Math.round(turnover / employees);
}

/** Returns the number, or in 1 % of the cases the number as text. */
function asText(ctx: Context, index: number, year: number, position: number, value: number): number | string {
  return ctx.dice.chance(0.01, TAG.indicatorOddity, index, year * 8 + position) ? String(value) : value;
}
