import { formatCount } from '../../schemas/format.js';
import { measured, type Cell, type ResultTable, type Unit } from '../report/result.js';
import { fitCosts, predictNight, type CostModels, type CostName } from './cost-models.js';
import { largestMarket, planMarket, priceMarket, type MarketPlan } from './plan-market.js';
import type { Measurement } from './read-runs.js';
import type { CapacitySettings } from './settings.js';
import { simulateNights } from './simulate-nights.js';
import { validate, type Errors } from './validate.js';

/** Longest time that is simulated, in days. */
const SIMULATED = 1_460;
const YEAR = 365;

/** How a figure was found. */
type Source = 'extrapolated' | 'derived' | 'assumed';
type Figure = readonly [name: string, unit: Unit, source: Source, read: (plan: MarketPlan) => number, cost?: CostName];

const FIRST: readonly Figure[] = [
  ['requests', 'count', 'extrapolated', (of) => of.requests, 'requests'],
  ['size of the answers', 'MiB', 'extrapolated', (of) => of.answersMiB, 'answersMiB'],
  ['calls a day to end in time', 'count', 'derived', (of) => of.callsPerDay],
  ['calls a second to end in time', 'per second', 'derived', (of) => of.callsPerSecond],
  ['calls a second of one worker', 'per second', 'derived', (of) => of.workerCallsPerSecond],
  ['workers to end in time', 'count', 'derived', (of) => of.workers],
  ['CPU of the crawl', 'seconds', 'extrapolated', (of) => of.crawlCpu, 'crawlCpu'],
  ['events in Temporal histories', 'count', 'extrapolated', (of) => of.events, 'events'],
  ["Temporal's database", 'MiB', 'extrapolated', (of) => of.temporalMiB, 'temporalMiB'],
  ['landing zone', 'MiB', 'extrapolated', (of) => of.landingMiB, 'landingMiB'],
  ['warehouse file', 'MiB', 'extrapolated', (of) => of.warehouseMiB, 'warehouseMiB'],
  ['published file and lake', 'MiB', 'extrapolated', (of) => of.publishedMiB, 'publishedMiB'],
  ['CPU of the warehouse', 'seconds', 'extrapolated', (of) => of.warehouseCpu, 'warehouseCpu'],
  ['time of the warehouse, at least', 'seconds', 'derived', (of) => of.warehouseSeconds],
  ['peak memory, models', 'MiB', 'extrapolated', (of) => of.modelsPeakMiB, 'modelsPeakMiB'],
  ['peak memory, publication', 'MiB', 'extrapolated', (of) => of.publishPeakMiB, 'publishPeakMiB'],
  ['copy: writes and lists', 'count', 'extrapolated', (of) => of.copyWrites, 'copyWrites'],
  ['copy: reads', 'count', 'extrapolated', (of) => of.copyReads, 'copyReads'],
  ['copy: size', 'MiB', 'extrapolated', (of) => of.copyMiB, 'copyMiB'],
  ['landing in a bucket: writes', 'count', 'assumed', (of) => of.landedWrites],
];

const LATER: readonly Figure[] = [
  ['requests', 'count', 'derived', ({ later }) => later.requests],
  ['workers to send them in a day', 'count', 'derived', ({ later }) => later.workers],
  ['events in Temporal histories', 'count', 'derived', ({ later }) => later.events],
  ["growth of Temporal's database", 'MiB', 'derived', ({ later }) => later.temporalMiB],
  ['growth of the landing zone', 'MiB', 'derived', ({ later }) => later.landingMiB],
  ['CPU of the warehouse', 'seconds', 'derived', ({ later }) => later.warehouseCpu, 'laterWarehouseCpu'],
  ['time of the warehouse, at least', 'seconds', 'derived', ({ later }) => later.warehouseSeconds],
  ['copy: writes and lists', 'count', 'extrapolated', ({ later }) => later.copyWrites, 'laterCopyWrites'],
  ['copy: reads', 'count', 'extrapolated', ({ later }) => later.copyReads, 'laterCopyReads'],
  ['copy: size', 'MiB', 'extrapolated', ({ later }) => later.copyMiB, 'laterCopyMiB'],
  ['landing in a bucket: writes', 'count', 'assumed', ({ later }) => later.landedWrites],
];

const COMPONENTS: readonly (readonly [string, keyof ReturnType<typeof priceMarket>])[] = [
  ['calls of the API', 'calls'],
  ['crawl workers', 'workers'],
  ['warehouse: processors and memory', 'warehouse'],
  ['disks', 'disk'],
  ['bucket: requests', 'bucketRequests'],
  ['bucket: storage', 'bucketStorage'],
];

/** Measured runs. Those of `control` were measured in another benchmark, and take no part in the model. */
export interface MeasuredRuns {
  runs: readonly Measurement[];
  control: readonly Measurement[];
}

/** Makes all tables of a capacity plan from measured runs. */
export function capacityTables({ runs, control }: MeasuredRuns, settings: CapacitySettings): ResultTable[] {
  const models = fitCosts(runs);
  const plans = settings.market.companies.map((companies) => planMarket(models, settings, companies));
  const errors = validate(runs, control);
  const heading = plans.map(({ companies }) => `${formatCount(companies)} companies`);
  const figures = (name: string, of: readonly Figure[]): ResultTable => ({
    name,
    columns: [name, 'source', 'error', ...heading],
    rows: of.map(([figure, unit, source, read, cost]) => ({
      name: figure,
      cells: [
        source,
        cost === undefined ? null : showError(errors.get(cost)?.control ?? errors.get(cost)?.own),
        ...plans.map((plan) => measured([read(plan)], unit)),
      ],
    })),
  });
  return [
    validationTable(runs, control, errors),
    figures('first night', FIRST),
    figures('each later night', LATER),
    quotaTable(settings),
    machineTable(models, settings),
    priceTable(plans, settings),
  ];
}

function validationTable(
  runs: readonly Measurement[],
  control: readonly Measurement[],
  errors: ReadonlyMap<CostName, Errors>,
): ResultTable {
  const largest = (of: readonly Measurement[]): string =>
    formatCount(Math.max(...of.map(({ companies }) => companies)));
  const named = new Map(
    [...FIRST, ...LATER].flatMap(([name, , , , cost]) => (cost === undefined ? [] : [[cost, name]])),
  );
  const name = (cost: CostName): string => {
    const found = named.get(cost) ?? cost;
    return cost.startsWith('later') ? `${found}, second night` : found;
  };
  const shown = [...errors].filter(([cost]) => named.has(cost) || cost === 'cpu');
  return {
    name: 'validation',
    columns: [
      'error of the model',
      `${largest(runs)} companies, from smaller markets`,
      `${largest(control)} companies, from all runs`,
    ],
    rows: shown.map(([cost, { own, control: other }]) => ({
      name: cost === 'cpu' ? 'CPU of the worker' : name(cost),
      cells: [showError(own), showError(other)],
    })),
  };
}

function quotaTable({ market, api }: CapacitySettings): ResultTable {
  const rows = market.companies.flatMap((companies) =>
    api.callsPerDay.map((quota) => {
      const days = simulateNights({ ...market, companies, quota }, SIMULATED);
      const first = days.findIndex(({ ended }) => ended) + 1;
      const last = days.slice(-YEAR);
      const nights = last.filter(({ ended }) => ended).length;
      const end = days.at(-1)!;
      return {
        name: formatCount(companies),
        cells: [
          measured([quota], 'count'),
          first === 0 ? `more than ${formatCount(SIMULATED)}` : measured([first], 'count'),
          measured([nights], 'count'),
          measured([last.reduce((sum, { calls }) => sum + calls, 0) / YEAR], 'count'),
          `${Math.round(((end.missing + end.stale) / (2 * companies)) * 100)} %`,
        ],
      };
    }),
  );
  return {
    name: 'quota',
    columns: [
      'companies',
      'calls a day',
      'days of the first night',
      'nights in the fourth year',
      'calls a day in this year',
      'records missing or stale at its end',
    ],
    rows,
  };
}

function machineTable(models: CostModels, settings: CapacitySettings): ResultTable {
  const { machine } = settings;
  const most = (figure: (companies: number) => number, limit: number): Cell => {
    const companies = largestMarket(figure, limit);
    // Two digits: the limits are extrapolated.
    return measured([Number(companies.toPrecision(2))], 'count');
  };
  const seconds = machine.hoursPerNight * 3_600;
  return {
    name: 'one machine',
    columns: ['limit of one warehouse worker', 'companies, at most'],
    rows: [
      ...machine.memoryGiB.flatMap((gib) => [
        {
          name: `${gib} GiB of memory: publication of the first night`,
          cells: [most((companies) => predictNight(models, 'publishPeakMiB', companies), gib * 1_024)],
        },
        {
          name: `${gib} GiB of memory: models of the first night`,
          cells: [most((companies) => predictNight(models, 'modelsPeakMiB', companies), gib * 1_024)],
        },
      ]),
      {
        name: `${machine.hoursPerNight} hours, ${machine.processors} processors: first night`,
        cells: [most((companies) => planMarket(models, settings, companies).warehouseSeconds, seconds)],
      },
      {
        name: `${machine.hoursPerNight} hours, ${machine.processors} processors: each later night`,
        cells: [most((companies) => planMarket(models, settings, companies).later.warehouseSeconds, seconds)],
      },
    ],
  };
}

function priceTable(plans: readonly MarketPlan[], settings: CapacitySettings): ResultTable {
  const priced = plans.map((plan) => priceMarket(plan, settings));
  const cell = (value: number): Cell => measured([value], 'count');
  const total = (kind: 'first' | 'month', of: (typeof priced)[number]): number =>
    COMPONENTS.reduce((sum, [, component]) => sum + of[component][kind], 0);
  return {
    name: 'costs',
    columns: [
      settings.prices.currency,
      ...plans.flatMap(({ companies }) => [`${formatCount(companies)}: first night`, 'each month after it']),
    ],
    rows: [
      ...COMPONENTS.map(([name, component]) => ({
        name,
        cells: priced.flatMap((of) =>
          component === 'calls' && settings.prices.thousandCalls === 0
            ? ['not included', 'not included']
            : [cell(of[component].first), cell(of[component].month)],
        ),
      })),
      { name: 'all', cells: priced.flatMap((of) => [cell(total('first', of)), cell(total('month', of))]) },
    ],
  };
}

function showError(error: number | undefined): string {
  if (error === undefined) return 'not measured';
  return `${Math.round(error * 100) || 0} %`;
}
