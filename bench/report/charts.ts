import { showCell } from './render.js';
import { median, type BenchResult, type Cell } from './result.js';

const WIDTH = 720;
const LABEL = 190;
const ROW = 24;
const TITLE = 28;

/** Returns the charts of docs/performance.md: file name in `docs/images` and SVG. */
export function chartsOf(results: ReadonlyMap<string, BenchResult>): Map<string, string> {
  const compare = results.get('compare');
  const charts = (compare?.tables ?? [])
    .filter(({ name }) => name.startsWith('speed'))
    .map(({ name, columns, rows }): [string, string] => {
      const column = columns.indexOf('calls/s, end to end') - 1;
      const bars = rows.map((row) => ({ name: row.name, cell: row.cells[column] ?? null }));
      return [`bench-${name.replaceAll(' ', '-')}.svg`, barChart(`Calls per second from end to end, ${name}`, bars)];
    });
  return new Map(charts);
}

/** Draws one horizontal bar per name. */
function barChart(title: string, bars: readonly { name: string; cell: Cell }[]): string {
  const values = bars.map(({ cell }) => (cell === null || typeof cell === 'string' ? 0 : median(cell.values)));
  const largest = Math.max(...values, 1);
  const lines = bars.flatMap(({ name, cell }, index) => {
    const top = TITLE + index * ROW;
    const width = Math.max(1, Math.round(((values[index] ?? 0) / largest) * (WIDTH - LABEL - 170)));
    return [
      `<text x="${LABEL - 8}" y="${top + 16}" text-anchor="end">${escape(name)}</text>`,
      `<rect x="${LABEL}" y="${top + 4}" width="${width}" height="${ROW - 8}" fill="${index === 0 ? '#2563eb' : '#94a3b8'}"/>`,
      `<text x="${LABEL + width + 6}" y="${top + 16}">${escape(showCell(cell))}</text>`,
    ];
  });
  const height = TITLE + bars.length * ROW + 6;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="18" font-weight="bold">${escape(title)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
