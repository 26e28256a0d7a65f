import type { Header } from '../../base/csv/columns.js';
import { tell } from '../terminal/print.js';

/** Tells the user what the columns of a list mean. */
export function tellHeader({ cells, columns, ignored, alike }: Header<string>): void {
  const used = cells.flatMap((cell, i) => (columns[i] === undefined ? [] : [`${cell} = ${columns[i]}`]));
  tell(`Columns: ${used.join(', ')}.`);
  if (ignored.length > 0) tell(`Ignored columns: ${ignored.join(', ')}.`);
  for (const names of alike)
    tell(`Columns with the same meaning: ${names.join(', ')}. The first column with a value is used.`);
}
