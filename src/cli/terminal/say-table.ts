import { say, terminalWidth } from './print.js';
import { renderTable, type TableData, type TableOptions } from './table.js';

/** Prints rows as a table on stdout. The table fits into the terminal. */
export function sayTable(data: TableData, options: TableOptions = {}): void {
  say(renderTable(data, { width: terminalWidth(), ...options }));
}
