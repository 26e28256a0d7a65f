import type { BenchResult, Cell } from '../report/result.js';

/** A measured run or copy, with its figures by the headings of their columns. */
export interface Measurement {
  /** `search`: no records are fetched. `first` and `second`: nights of a market whose records are all fetched. */
  kind: 'search' | 'first' | 'second';
  /** Companies that the search found. */
  companies: number;
  figures: Record<string, number>;
}

const KINDS: readonly (readonly [RegExp, Measurement['kind']])[] = [
  [/^search of ([\d,]+)$/, 'search'],
  [/^(?:records|first night) of ([\d,]+)$/, 'first'],
  [/^second night of ([\d,]+)$/, 'second'],
];

/** Reads the rows of some tables. Joins the figures of rows with the same name, with the name of their table before them. */
export function readRows(result: BenchResult, tables: readonly string[]): Measurement[] {
  const found = new Map<string, Measurement>();
  for (const table of tables) {
    const { columns, rows } = tableOf(result, table);
    for (const { name, cells } of rows) {
      const of = found.get(name) ?? { ...readName(name), figures: {} };
      for (const [i, cell] of cells.entries()) of.figures[`${table}: ${columns[i + 1]}`] = valueOf(cell);
      found.set(name, of);
    }
  }
  return [...found.values()];
}

/** Reads both runs of the largest market of the benchmark `scale`, with the memory of the second one. */
export function readLargest(scale: BenchResult): Measurement[] {
  const { columns, rows } = tableOf(scale, 'costs');
  const memory = tableOf(scale, 'memory');
  const peak = (phase: string): number => valueOf(memory.rows.at(-1)?.cells[memory.columns.indexOf(phase) - 1] ?? null);
  return columns.slice(-2).map((name, i) => {
    const figures = Object.fromEntries(rows.map((row) => [row.name, valueOf(row.cells.at(i - 2) ?? null)]));
    const run = { ...readName(name), figures };
    if (run.kind === 'search') return run;
    return { ...run, figures: { ...figures, 'memory: models': peak('models'), 'memory: publish': peak('publish') } };
  });
}

function tableOf({ bench, tables }: BenchResult, name: string): BenchResult['tables'][number] {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`the result ${bench} has no table "${name}"`);
  return table;
}

function readName(name: string): Pick<Measurement, 'kind' | 'companies'> {
  for (const [pattern, kind] of KINDS) {
    const companies = pattern.exec(name)?.[1];
    if (companies !== undefined) return { kind, companies: Number(companies.replaceAll(',', '')) };
  }
  throw new Error(`no run has the name "${name}"`);
}

function valueOf(cell: Cell): number {
  const value = cell === null || typeof cell === 'string' ? undefined : cell.values[0];
  if (value === undefined) throw new Error(`not measured: ${JSON.stringify(cell)}`);
  return value;
}
