import { formatCount } from '../../schemas/format.js';
import { measured, type Cell, type ResultTable } from '../report/result.js';
import { CAUSES } from './account.js';
import type { Measured } from './measure.js';

/** Results of one market at one page size. */
export interface MarketResult {
  companies: number;
  size: number;
  planned: readonly Measured[];
  rivals: readonly Measured[];
}

/** Whether the market has ten times as many companies as a search can show: ten pages. */
const isTenCaps = ({ companies, size }: MarketResult): boolean => companies === size * 100;

// Column of the page, and the case of the planner. `ofAll`: the share counts all companies, not only those with a date.
const CASES = [
  ['cold, dated', 'cold, values known', 'ofKnown'],
  ['warm, dated', 'warm, values known', 'ofKnown'],
  ['cold, all, null filter', 'cold, null filter', 'ofAll'],
  ['cold, all, version 1', 'cold, version 1', 'ofAll'],
  ['cold, all, neither', 'cold, full', 'ofAll'],
  ['the same, and records', 'cold, records', 'ofAll'],
] as const;
const RIVALS = [
  ['optimum', 'optimum, by days'],
  ['binary', 'binary midpoint'],
  ['by difference', 'binary, by difference'],
  ['k-way', 'k-way quantile'],
  ['grid', 'fixed grid'],
] as const;

/** Returns the tables of docs/performance.md. */
export function pageTables(results: readonly MarketResult[]): ResultTable[] {
  return [
    requestTable(results),
    ...results.filter(isTenCaps).flatMap((result) => [rivalTable(result), wasteTable(result)]),
  ];
}

function requestTable(results: readonly MarketResult[]): ResultTable {
  return {
    name: 'requests',
    columns: ['market, page', ...CASES.map(([name]) => name), ...RIVALS.map(([name]) => name)],
    rows: results.map(({ companies, size, planned, rivals }) => ({
      name: `${formatCount(companies)}, ${size}`,
      cells: [
        ...CASES.map(([, name, share]) => {
          const found = find(planned, name);
          return withShare(found.eff, found[share]);
        }),
        ...RIVALS.map(([, name]) => find(rivals, name).eff.toFixed(3)),
      ],
    })),
  };
}

/** Requests of each method in a market of ten caps. */
function rivalTable({ companies, size, planned, rivals }: MarketResult): ResultTable {
  const lines = [find(planned, 'cold, values known'), find(planned, 'warm, values known'), ...rivals];
  return {
    name: 'ten caps',
    columns: [`${formatCount(companies)} companies, ${size} a page`, 'requests', 'per full page', 'companies found'],
    rows: lines.map(({ name, requests, eff, ofKnown }) => ({
      name: name.replace('values known', 'Tidemark'),
      cells: [measured([requests], 'count'), eff.toFixed(3), percent(ofKnown)],
    })),
  };
}

/** Requests of the planner in a market of ten caps that list no new company, by cause. */
function wasteTable({ planned }: MarketResult): ResultTable {
  const lines = [find(planned, 'cold, values known'), find(planned, 'warm, values known')];
  const rows = CAUSES.map((cause) => ({ name: NAMES[cause], values: lines.map(({ waste }) => waste?.[cause] ?? 0) }));
  return {
    name: 'ten caps, waste',
    columns: ['requests that list no new company', 'cold', 'warm'],
    rows: rows
      .filter(({ values }) => values.some((value) => Math.abs(value) >= 0.05))
      .map(({ name, values }) => ({ name, cells: values.map((value): Cell => value.toFixed(1)) })),
  };
}

const NAMES: Record<(typeof CAUSES)[number], string> = {
  'page size': 'find out the page size',
  probes: 'other requests of the calibration',
  first: 'first window of a dimension, with unknown density, above the cap',
  again: 'window above the cap, where a wider one was above it too',
  peak: 'window above the cap, with a day of more than half the cap',
  near: 'window above the cap by at most a quarter',
  far: 'window above the cap by more',
  splits: 'page 1 of a segment that another dimension splits',
  empty: 'page 1 of a segment without companies',
  'last page': 'empty places on the last page of a window',
  twice: 'companies that an earlier window listed',
  truncated: 'further pages of a search above the cap',
  repeated: 'total of the market again, at the end',
  kept: 'companies listed by a search above the cap (saved)',
};

function find(lines: readonly Measured[], name: string): Measured {
  const found = lines.find((line) => line.name === name);
  if (found === undefined) throw new Error(`no result "${name}"`);
  return found;
}

/** Adds the share of companies found, unless all were found. */
function withShare(eff: number, share: number): string {
  return share > 0.99995 ? eff.toFixed(3) : `${eff.toFixed(3)} (${percent(share)})`;
}

function percent(share: number): string {
  const digits = share > 0.99995 ? 0 : share >= 0.999 ? 2 : 1;
  return `${(share * 100).toFixed(digits)} %`;
}
