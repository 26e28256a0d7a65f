import { formatCount } from '../../schemas/format.js';
import { PHASES } from '../crawl/phases.js';
import { measured, type Measured, type ResultTable, type Unit } from '../report/result.js';
import type { MeasuredRun } from '../scale/measure.js';
import type { MeasuredCopy, MeasuredSize } from './measure.js';

type Columns<T> = Record<string, readonly [Unit, (of: T) => number]>;

/** Columns of the table of runs, by their headings. Sizes of files are those after the run. */
const RUN_COLUMNS = {
  companies: ['count', ({ searched }) => searched],
  requests: ['count', ({ cost }) => cost.requests],
  answers: ['MiB', ({ cost }) => cost.answersMiB],
  'Temporal events': ['count', ({ cost }) => cost.events],
  "Temporal's database": ['MiB', ({ cost }) => cost.databaseMiB],
  'landing zone': ['MiB', ({ cost }) => cost.landingMiB],
  'warehouse file': ['MiB', ({ cost }) => cost.warehouseMiB],
  'published file and lake': ['MiB', ({ cost }) => cost.publishedMiB],
  time: ['seconds', ({ cost }) => cost.seconds],
} satisfies Columns<MeasuredRun>;

/** Columns of the table of copies, by their headings. */
const COPY_COLUMNS = {
  files: ['count', ({ files }) => files],
  'writes and lists': ['count', ({ writes }) => writes],
  reads: ['count', ({ reads }) => reads],
  removes: ['count', ({ removes }) => removes],
  sent: ['MiB', ({ sentMiB }) => sentMiB],
  'CPU of the copy': ['seconds', ({ cpu }) => cpu],
} satisfies Columns<MeasuredCopy>;

/** Makes the tables of measured runs. `read-runs.ts` reads them by their headings. */
export function runTables(sizes: readonly MeasuredSize[]): ResultTable[] {
  const runs = sizes.flatMap(({ companies, search, first, next }) => [
    { name: `search of ${formatCount(companies)}`, run: search },
    { name: `first night of ${formatCount(companies)}`, run: first },
    { name: `second night of ${formatCount(companies)}`, run: next },
  ]);
  const copies = sizes.flatMap(({ companies, copyOfFirst, copyOfNext }) => [
    { name: `first night of ${formatCount(companies)}`, copy: copyOfFirst },
    { name: `second night of ${formatCount(companies)}`, copy: copyOfNext },
  ]);
  return [
    {
      name: 'runs',
      columns: ['run', ...Object.keys(RUN_COLUMNS)],
      rows: runs.map(({ name, run }) => ({ name, cells: cellsOf(RUN_COLUMNS, run) })),
    },
    {
      name: 'CPU',
      columns: ['CPU of the worker', ...PHASES, 'main thread, crawl'],
      rows: runs.map(({ name, run }) => ({
        name,
        cells: [...PHASES.map((phase) => run.phases[phase].cpu), run.phases.crawl.mainCpu].map((cpu) =>
          measured([cpu], 'seconds'),
        ),
      })),
    },
    {
      name: 'memory',
      columns: ['peak memory of the worker', ...PHASES],
      rows: runs.map(({ name, run }) => ({
        name,
        cells: PHASES.map((phase) => measured([run.peakMiB[phase]], 'MiB')),
      })),
    },
    {
      name: 'copies',
      columns: ['copy of the build of the', ...Object.keys(COPY_COLUMNS)],
      rows: copies.map(({ name, copy }) => ({ name, cells: cellsOf(COPY_COLUMNS, copy) })),
    },
  ];
}

function cellsOf<T extends MeasuredRun | MeasuredCopy>(
  columns: Record<string, readonly [Unit, (of: T) => number]>,
  of: T,
): Measured[] {
  return Object.values(columns).map(([unit, read]) => measured([read(of)], unit));
}
