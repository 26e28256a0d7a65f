import { newYear, yearOf } from './calendar.js';
import type { Versions } from './changes.js';
import type { Context } from './context.js';
import { USD_PER } from './data/market-countries.js';
import { TAG } from './tags.js';
import { firstEmployeesOf, foundedOn, marketCountryOf } from './traits.js';

/*
 * Figures of the financial reports and the financial filters. Money is in the country's currency. Some
 * companies round to whole units, the others to cents. A restatement changes one figure of one year by up to 15 %.
 */

/**
 * Figures that the sandbox draws at random. All other figures are computed from these. Only the first five can be
 * restated.
 */
export const FIGURE = { turnover: 0, profit: 1, assets: 2, liabilities: 3, cash: 4, directors: 5, exports: 6 } as const;
export type Figure = (typeof FIGURE)[keyof typeof FIGURE];
const RESTATABLE = 5;

/** What a company publishes: no accounts, a balance sheet, or a balance sheet with turnover. */
export type Disclosure = 'none' | 'balance' | 'turnover';

/**
 * Returns what a company publishes; this never changes. 45 % publish turnover, 40 % only a balance sheet, 15 % nothing.
 */
export function disclosureOf(ctx: Context, index: number): Disclosure {
  const draw = ctx.dice.unit(TAG.finance, index);
  return draw < 0.45 ? 'turnover' : draw < 0.85 ? 'balance' : 'none';
}

/** Returns the days from the end of the calendar year until the accounts are filed: 60 to 329. */
function filingDelayOf(ctx: Context, index: number): number {
  return 60 + ctx.dice.below(270, TAG.filing, index);
}

/** Returns the unix day on which the accounts of a fiscal year are filed. */
export function filedOn(ctx: Context, index: number, year: number): number {
  return newYear(year + 1) + filingDelayOf(ctx, index);
}

/** Returns whether accounts are filed between two unix days. Both `from` and `to` are included. */
export function hasFiling(ctx: Context, index: number, from: number, to: number): boolean {
  const delay = filingDelayOf(ctx, index);
  for (let year = yearOf(from); year <= yearOf(to); year++) {
    const filed = newYear(year) + delay;
    if (filed >= from && filed <= to) return true;
  }
  return false;
}

/** Returns the first and last fiscal year whose accounts are filed by a unix day. Undefined when there are none. */
export function fiscalYearsOf(ctx: Context, index: number, day: number): { first: number; last: number } | undefined {
  if (disclosureOf(ctx, index) === 'none') return undefined;
  const previous = yearOf(day) - 1;
  const last = filedOn(ctx, index, previous) <= day ? previous : previous - 1;
  const draw = ctx.dice.unit(TAG.filing, index, 1);
  // In 2026, most companies have filed three to six years. Few have filed one or two years, and few have a long
  // history.
  const oldest = draw < 0.9 ? 2020 + Math.floor(draw * 4.4) : draw < 0.95 ? 2024 : 2009;
  const founded = foundedOn(ctx, index);
  const first = founded === null ? oldest : Math.max(oldest, yearOf(founded));
  return first > last ? undefined : { first, last };
}

/** Returns the figure that a restatement changes. `version` identifies the restatement. */
function restatedFigureOf(ctx: Context, index: number, version: number): Figure {
  return ((ctx.dice.draw(TAG.restate, index, version) >>> 4) % RESTATABLE) as Figure;
}

/**
 * Returns the fiscal year that a restatement changes: the latest year filed by that day, or the year before it. Returns
 * 0 or -1 if no year is filed.
 */
function restatedYearOf(ctx: Context, index: number, day: number, version: number): number {
  const latest = fiscalYearsOf(ctx, index, day)?.last ?? 0;
  return latest - (ctx.dice.draw(TAG.restate, index, version) % 3 === 0 ? 1 : 0);
}

/**
 * Returns the year and the figure that a restatement changed. Undefined when the company has no such figure or year.
 */
export function restatementOf(
  ctx: Context,
  index: number,
  day: number,
  version: number,
): { year: number; figure: Figure } | undefined {
  const figure = restatedFigureOf(ctx, index, version);
  const year = restatedYearOf(ctx, index, day, version);
  const years = fiscalYearsOf(ctx, index, day);
  return years === undefined || year < years.first || !hasFigure(ctx, index, figure) ? undefined : { year, figure };
}

function hasFigure(ctx: Context, index: number, figure: Figure): boolean {
  if (figure === FIGURE.turnover) return disclosureOf(ctx, index) === 'turnover';
  if (figure === FIGURE.exports)
    return disclosureOf(ctx, index) === 'turnover' && ctx.dice.chance(0.3, TAG.financeShape, index, 1);
  if (figure === FIGURE.directors) return ctx.dice.chance(0.3, TAG.financeShape, index, 2);
  return true;
}

/** Returns the typical annual sales in US dollars. They do not vary between years. */
function scaleOf(ctx: Context, index: number): number {
  const employees = firstEmployeesOf(ctx, index);
  const normal = ctx.dice.normal(TAG.financeBase, index);
  return employees === null ? Math.exp(13 + 1.6 * normal) : employees * Math.exp(11.3 + 0.6 * normal);
}

/**
 * Returns a figure of a fiscal year; null when the company does not report it. `versions` holds the restatements.
 * `year` must be one of `fiscalYearsOf`.
 */
export function figureOf(ctx: Context, index: number, figure: Figure, year: number, versions: Versions): number | null {
  if (!hasFigure(ctx, index, figure)) return null;
  const { dice } = ctx;
  const growth = Math.exp(0.04 * (year - 2022) + 0.2 * dice.normal(TAG.financeGrowth, index, year));
  const sales = (scaleOf(ctx, index) / USD_PER[marketCountryOf(ctx, index).currency]!) * growth;
  let value = sales * shareOf(ctx, index, figure, year);
  for (let n = 0; n < versions.restatements.length; n++) {
    const version = versions.restatements[n]!;
    if (restatedFigureOf(ctx, index, version) !== figure) continue;
    if (restatedYearOf(ctx, index, versions.restatedOn[n]!, version) !== year) continue;
    value *= 0.85 + 0.3 * dice.unit(TAG.restate, index, version + 100_000);
  }
  return roundAs(ctx, index, value);
}

/**
 * Returns the ratio of a figure to sales. For assets and liabilities, the ratio stays the same over the years. For
 * profit and cash, it changes.
 */
function shareOf(ctx: Context, index: number, figure: Figure, year: number): number {
  const { dice } = ctx;
  switch (figure) {
    case FIGURE.turnover:
      return 1;
    case FIGURE.profit:
      return Math.max(-0.6, Math.min(0.45, 0.06 + 0.09 * dice.normal(TAG.financeShape, index, year)));
    case FIGURE.assets:
      return assetsShareOf(ctx, index);
    case FIGURE.liabilities:
      return assetsShareOf(ctx, index) * (0.15 + 0.8 * dice.unit(TAG.financeShape, index, 4));
    case FIGURE.cash:
      return assetsShareOf(ctx, index) * (0.02 + 0.25 * dice.unit(TAG.financeShape, index, year + 10_000));
    case FIGURE.directors:
      return 0.01 + 0.04 * dice.unit(TAG.financeShape, index, 5);
    case FIGURE.exports:
      return 0.05 + 0.7 * dice.unit(TAG.financeShape, index, 6);
  }
}

function assetsShareOf(ctx: Context, index: number): number {
  return 0.4 + 1.6 * ctx.dice.unit(TAG.financeShape, index, 3);
}

/** Rounds a value: to whole units for most companies, to cents for a fifth of them. */
export function roundAs(ctx: Context, index: number, value: number): number {
  return ctx.dice.chance(0.2, TAG.financeShape, index, 7) ? Math.round(value * 100) / 100 : Math.round(value);
}

/**
 * Figures of the latest fiscal year, for the prospecting filters. Money is in US dollars. NaN means that there is no
 * value.
 */
export interface LatestFigures {
  turnover: number;
  profit: number;
  liabilities: number;
  directors: number;
  exports: number;
  /** Change from the previous year in percent. The other fields that begin with `yoy` have the same unit. */
  yoyTurnover: number;
  yoyProfit: number;
  yoyLiabilities: number;
  yoyExports: number;
  yoyEbitda: number;
}

/**
 * Computes the latest figures and writes them into `out`. Callers use the same `out` again, because a million new
 * objects would be slow.
 *
 * For speed, this function and the functions that it calls create no closures. The TypeScript loader runs extra code
 * for each new closure, and this code takes longer than computing the figures.
 */
export function readLatestFigures(
  ctx: Context,
  index: number,
  day: number,
  versions: Versions,
  out: LatestFigures,
): void {
  const years = fiscalYearsOf(ctx, index, day);
  if (years === undefined) {
    Object.assign(out, NO_FIGURES);
    return;
  }
  const { first, last } = years;
  const usd = USD_PER[marketCountryOf(ctx, index).currency]!;
  const turnover = figureOrNaN(ctx, index, FIGURE.turnover, last, versions);
  const profit = figureOrNaN(ctx, index, FIGURE.profit, last, versions);
  const liabilities = figureOrNaN(ctx, index, FIGURE.liabilities, last, versions);
  const exports = figureOrNaN(ctx, index, FIGURE.exports, last, versions);
  out.turnover = turnover * usd;
  out.profit = profit * usd;
  out.liabilities = liabilities * usd;
  out.directors = figureOrNaN(ctx, index, FIGURE.directors, last, versions) * usd;
  out.exports = exports * usd;
  const hasPrevious = first < last;
  out.yoyTurnover = hasPrevious
    ? changeInPercent(turnover, figureOrNaN(ctx, index, FIGURE.turnover, last - 1, versions))
    : Number.NaN;
  out.yoyProfit = hasPrevious
    ? changeInPercent(profit, figureOrNaN(ctx, index, FIGURE.profit, last - 1, versions))
    : Number.NaN;
  out.yoyLiabilities = hasPrevious
    ? changeInPercent(liabilities, figureOrNaN(ctx, index, FIGURE.liabilities, last - 1, versions))
    : Number.NaN;
  out.yoyExports = hasPrevious
    ? changeInPercent(exports, figureOrNaN(ctx, index, FIGURE.exports, last - 1, versions))
    : Number.NaN;
  out.yoyEbitda = hasPrevious
    ? changeInPercent(ebitdaOf(ctx, index, last, versions), ebitdaOf(ctx, index, last - 1, versions))
    : Number.NaN;
}

function figureOrNaN(ctx: Context, index: number, figure: Figure, year: number, versions: Versions): number {
  return figureOf(ctx, index, figure, year, versions) ?? Number.NaN;
}

/** Returns the taxation, derived from the profit. */
export function taxationOf(ctx: Context, index: number, profit: number): number {
  return Math.max(0, roundAs(ctx, index, profit * 0.25));
}

/** Returns the operating profit, derived from the profit and the taxation. */
export function operatingProfitOf(ctx: Context, index: number, profit: number): number {
  return roundAs(ctx, index, (profit + taxationOf(ctx, index, profit)) * 1.1);
}

/** Returns the EBITDA of a fiscal year, in the company's currency. */
export function ebitdaOf(ctx: Context, index: number, year: number, versions: Versions): number {
  const profit = figureOf(ctx, index, FIGURE.profit, year, versions)!;
  const assets = figureOf(ctx, index, FIGURE.assets, year, versions)!;
  return roundAs(ctx, index, operatingProfitOf(ctx, index, profit) + assets * 0.03);
}

/** Returns the change from an earlier value in percent, with two decimals. NaN when it cannot be computed. */
export function changeInPercent(now: number, before: number): number {
  return before === 0 ? Number.NaN : Math.round(((now - before) / Math.abs(before)) * 10_000) / 100;
}

const none = Number.NaN;
const NO_FIGURES: LatestFigures = {
  turnover: none,
  profit: none,
  liabilities: none,
  directors: none,
  exports: none,
  yoyTurnover: none,
  yoyProfit: none,
  yoyLiabilities: none,
  yoyExports: none,
  yoyEbitda: none,
};

export function emptyFigures(): LatestFigures {
  return { ...NO_FIGURES };
}

/** Returns the number of employees in the accounts of a year. Null for a company that never states it. */
export function employeesIn(ctx: Context, index: number, year: number): number | null {
  const first = firstEmployeesOf(ctx, index);
  if (first === null) return null;
  return Math.max(1, Math.round(first * (0.9 + 0.2 * ctx.dice.unit(TAG.financeGrowth, index, year + 20_000))));
}

/** Returns whether the accounts are consolidated accounts of a group. */
export function isConsolidated(ctx: Context, index: number): boolean {
  return ctx.dice.chance(0.1, TAG.indicator, index, 3);
}
