import { formatCount } from '../../schemas/format.js';
import { measured, type ResultTable, type Unit } from '../report/result.js';
import { fitCost, predictCost, type Observation } from './cost-model.js';
import type { MeasuredRun, RunCost } from './measure.js';

/** Both runs of one size: first a search of all companies, then a market whose records are fetched. */
export interface Size {
  companies: number;
  search: MeasuredRun;
  fetch: MeasuredRun;
}

type Cause = 'searched' | 'fetched';
type Cost = keyof RunCost;

const PREDICTED = [10_000_000, 100_000_000];
/** Calls a day. Only for the row that counts days; not a limit of the sandbox. */
const DAILY_QUOTA = 100_000;

// Sizes of files count all runs so far, other costs one run.
const COSTS: Record<Cost, { name: string; unit: Unit; ofFile: boolean }> = {
  requests: { name: 'requests', unit: 'count', ofFile: false },
  answersMiB: { name: 'size of the answers', unit: 'MiB', ofFile: false },
  seconds: { name: 'time', unit: 'seconds', ofFile: false },
  cpu: { name: 'CPU of the worker', unit: 'seconds', ofFile: false },
  events: { name: 'events in Temporal histories', unit: 'count', ofFile: false },
  landingMiB: { name: 'landing zone', unit: 'MiB', ofFile: true },
  warehouseMiB: { name: 'warehouse file', unit: 'MiB', ofFile: true },
  publishedMiB: { name: 'published file and lake', unit: 'MiB', ofFile: true },
  databaseMiB: { name: "Temporal's database", unit: 'MiB', ofFile: true },
};

/** Makes the tables: what each size cost, the memory of the worker, and what the cost model expects. */
export function scaleTables(sizes: readonly Size[]): ResultTable[] {
  return [costs(sizes), memory(sizes), model(sizes)];
}

function costs(sizes: readonly Size[]): ResultTable {
  return {
    name: 'costs',
    columns: [
      'companies in the market',
      ...sizes.flatMap(({ companies, fetch }) => [
        `search of ${formatCount(companies)}`,
        `records of ${formatCount(fetch.searched)}`,
      ]),
    ],
    rows: (Object.keys(COSTS) as Cost[]).map((cost) => ({
      name: COSTS[cost].name,
      cells: sizes.flatMap(({ search, fetch }) =>
        [search, fetch].map((run) => measured([run.cost[cost]], COSTS[cost].unit)),
      ),
    })),
  };
}

function memory(sizes: readonly Size[]): ResultTable {
  const mib = (value: number) => measured([value], 'MiB');
  return {
    name: 'memory',
    columns: [
      'companies',
      'search',
      'records: first quarter',
      'second',
      'third',
      'last quarter',
      'load',
      'models',
      'publish',
    ],
    rows: sizes.map(({ companies, search, fetch }) => ({
      name: formatCount(companies),
      cells: [
        mib(search.peakMiB.search),
        ...fetch.crawlMiB.map(mib),
        ...(['load', 'models', 'publish'] as const).map((phase) => mib(fetch.peakMiB[phase])),
      ],
    })),
  };
}

function model(sizes: readonly Size[]): ResultTable {
  const largest = sizes.at(-1)!;
  return {
    name: 'model',
    columns: [
      'cost',
      'fixed',
      'each 1,000 companies searched',
      'each 1,000 companies fetched',
      'error for the largest market',
      ...PREDICTED.map((companies) => `${formatCount(companies)}, all fetched`),
    ],
    rows: [
      ...(Object.keys(COSTS) as Cost[]).map((cost) => {
        const { name, unit, ofFile } = COSTS[cost];
        const fitted = fitCost(observe(sizes, ofFile), cost);
        const smaller = fitCost(observe(sizes.slice(0, -1), ofFile), cost);
        const actual = largest.fetch.cost[cost];
        const expected = predictCost(smaller, causesOf(largest, ofFile).fetch);
        return {
          name,
          cells: [
            measured([fitted.fixed], unit),
            measured([fitted.each.searched * 1_000], unit),
            measured([fitted.each.fetched * 1_000], unit),
            `${Math.round(((expected - actual) / actual) * 100) || 0} %`,
            ...PREDICTED.map((companies) =>
              measured([predictCost(fitted, { searched: companies, fetched: companies })], unit),
            ),
          ],
        };
      }),
      {
        name: `days at ${formatCount(DAILY_QUOTA)} calls a day`,
        cells: [
          null,
          null,
          null,
          null,
          ...PREDICTED.map((companies) => {
            const requests = fitCost(observe(sizes, false), 'requests');
            const expected = predictCost(requests, { searched: companies, fetched: companies });
            return measured([Math.ceil(expected / DAILY_QUOTA)], 'count');
          }),
        ],
      },
    ],
  };
}

function observe(sizes: readonly Size[], ofFile: boolean): Observation<Cause, Cost>[] {
  return sizes.flatMap((size) => {
    const causes = causesOf(size, ofFile);
    return [
      { causes: causes.search, costs: size.search.cost },
      { causes: causes.fetch, costs: size.fetch.cost },
    ];
  });
}

/** What caused the costs of both runs. A file contains the results of both. */
function causesOf({ search, fetch }: Size, ofFile: boolean): Record<'search' | 'fetch', Record<Cause, number>> {
  return {
    search: { searched: search.searched, fetched: 0 },
    fetch: { searched: fetch.searched + (ofFile ? search.searched : 0), fetched: fetch.searched },
  };
}
