import { formatCount } from '../../schemas/format.js';
import { median, type BenchResult, type Cell, type Measured, type ResultTable, type Unit } from './result.js';

/** Returns all tables of a result as aligned text. */
export function renderText(result: BenchResult): string {
  const tables = result.tables.map((table) => {
    const lines = [table.columns, ...table.rows.map(({ name, cells }) => [name, ...cells.map(showCell)])];
    const widths = table.columns.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
    const text = lines.map((line) =>
      `  ${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('   ')}`.trimEnd(),
    );
    return `${result.bench}: ${table.name}\n${text.join('\n')}\n`;
  });
  return `${tables.join('\n')}${describe(result)}\n`;
}

/** Returns a table of a result as Markdown, with a line that says how it was measured. */
export function renderMarkdown(result: BenchResult, table: ResultTable): string {
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(table.columns),
    row(table.columns.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...table.rows.map(({ name, cells }) => row([name, ...cells.map(showCell)])),
    '',
    describe(result),
  ].join('\n');
}

/** Describes how a result was measured, in one paragraph. */
export function describe({ command, date, versions, processors, load, rounds, computedFrom }: BenchResult): string {
  if (computedFrom !== undefined) {
    const sources = computedFrom.map((bench) => `\`${bench}\``).join(' and ');
    return `\`${command}\` on ${date}, computed from the saved results of ${sources}.`;
  }
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const shown = rounds > 1 ? `Medians of ${rounds} rounds, with the lowest and highest value in brackets` : 'One round';
  return `\`${command}\` on ${date}: ${programs.join(', ')}; ${processors} processors, system load ${load}. ${shown}.`;
}

/** Returns a cell as text: the median and, if the values differ, the lowest and the highest. */
export function showCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  const { label, divisor } = scaleOf(cell);
  const [low, middle, high] = [Math.min(...cell.values), median(cell.values), Math.max(...cell.values)].map((value) =>
    showValue(value / divisor, cell.unit),
  );
  return low === high ? `${middle}${label}` : `${middle}${label} (${low} to ${high})`;
}

/** The unit that a cell is shown in: large times in hours or days, large sizes in GiB or TiB. */
function scaleOf({ values, unit }: Measured): { label: string; divisor: number } {
  const value = median(values);
  const scales: Partial<Record<Unit, [from: number, label: string, divisor: number][]>> = {
    seconds: [
      [259_200, ' days', 86_400],
      [7_200, ' h', 3_600],
      [0.1, ' s', 1],
      [0, ' ms', 0.001],
    ],
    MiB: [
      [10_485_760, ' TiB', 1_048_576],
      [10_240, ' GiB', 1_024],
      [0, ' MiB', 1],
    ],
  };
  const [, label, divisor] = scales[unit]?.find(([from]) => value >= from) ?? [0, '', 1];
  return { label, divisor };
}

function showValue(value: number, unit: Unit): string {
  if (unit === 'MiB' && value < 10) return value.toFixed(1);
  if (unit === 'count' || unit === 'per second' || unit === 'MiB') return formatCount(Math.round(value));
  if (unit === 'ratio') return value.toFixed(value < 0.1 ? 3 : 2);
  return value.toFixed(value < 10 ? 2 : 1);
}
