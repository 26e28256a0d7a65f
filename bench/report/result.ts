import path from 'node:path';

/** Folder of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..');
/** Folder of the saved results. The tables of performance.md and capacity.md are written from them. */
export const RESULTS = path.join(ROOT, 'bench', 'results');

/** What a benchmark measured, as saved in `bench/results/<bench>.json`. */
export interface BenchResult {
  bench: string;
  /** Command that repeats the measurement. */
  command: string;
  /** Day of the measurement, `YYYY-MM-DD`. */
  date: string;
  /** Versions of the programs that were measured, by name. */
  versions: Record<string, string>;
  processors: number;
  /** System load (average of one minute) at the end. Above the number of processors, other work slowed the benchmark. */
  load: number;
  rounds: number;
  /** Results from which this one was computed; not there if it was measured. */
  computedFrom?: string[];
  tables: ResultTable[];
}

/** One table of a result. */
export interface ResultTable {
  /** Unique in the result. */
  name: string;
  /** Headings; the first is the heading of the row names. */
  columns: string[];
  rows: { name: string; cells: Cell[] }[];
}

/** A measurement, a text, or null: not measured. */
export type Cell = Measured | string | null;

/** All values of one measurement, one per round. */
export interface Measured {
  values: number[];
  unit: Unit;
}

export type Unit = 'count' | 'per second' | 'seconds' | 'MiB' | 'ratio';

/** Makes a cell of the values of all rounds. */
export function measured(values: number[], unit: Unit): Measured {
  const digits = unit === 'ratio' ? 4 : 3;
  return { values: values.map((value) => Number(value.toFixed(digits))), unit };
}

/** Returns the median: of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2;
}
