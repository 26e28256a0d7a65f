import { CAUSES, type Waste } from './account.js';
import type { Measured } from './measure.js';

const HEAD = ['', 'requests', 'eff', 'of known', 'of all', 'leaves', 'fill', 'overflows', 'depth'];

/** Formats the results as a Markdown table. */
export function resultTable(lines: readonly Measured[]): string {
  return markdown(
    HEAD,
    lines.map((line) => [
      line.name,
      String(line.requests),
      line.eff.toFixed(3),
      percent(line.ofKnown),
      percent(line.ofAll),
      String(line.leaves),
      line.fill.toFixed(2),
      String(line.overflows),
      String(line.depth),
    ]),
  );
}

/**
 * Formats the planner's waste by cause as a Markdown table, in % of the pages that its companies fill. The sum plus 100
 * % is `eff`.
 */
export function wasteTable(lines: readonly Measured[]): string {
  const rows = lines.flatMap(({ name, waste, requests, eff }) =>
    waste ? [[name, ...cells(waste, requests / eff), (eff * 100 - 100).toFixed(1)]] : [],
  );
  return markdown(['wasted, %', ...CAUSES, 'all'], rows);
}

/** Formats the waste of one result line by the dimensions of the segments. */
export function pathTable({ name, byPath, requests, eff }: Measured): string {
  const rows = [...(byPath ?? [])].map(([path, waste]) => {
    const sum = Object.values(waste).reduce((total, some) => total + some, 0);
    return { sum, row: [path || 'market', ...cells(waste, requests / eff), ((sum * 100 * eff) / requests).toFixed(1)] };
  });
  return markdown(
    [name, ...CAUSES, 'all'],
    rows.sort((a, b) => b.sum - a.sum).map(({ row }) => row),
  );
}

function cells(waste: Waste, pages: number): string[] {
  return CAUSES.map((cause) => (waste[cause] === 0 ? '' : ((waste[cause] * 100) / pages).toFixed(1)));
}

function percent(share: number): string {
  return (share * 100).toFixed(2);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((text, i) => Math.max(text.length, 3, ...rows.map((row) => row[i]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
