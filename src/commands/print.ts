import { isatty } from 'node:tty';
import { createColors } from 'picocolors';
import { visibleInTerminal } from '../core/visible-text.js';

/** Colours for a stream: only in a terminal, and not where NO_COLOR asks for none. */
export function colorsFor(stream: NodeJS.WriteStream & { fd: number }): ReturnType<typeof createColors> {
  // Not stream.isTTY: it is missing where there is no terminal, and then the library guesses (it colours for CI).
  return createColors(isatty(stream.fd) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb');
}

/** A line of result on stdout. Texts of the API may stand in it: nothing but our colours is obeyed by the terminal. */
export function say(text = ''): void {
  process.stdout.write(`${visibleInTerminal(text)}\n`);
}

/** Columns of the terminal results go to; unlimited where they go to a file or a pipe. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** A line for the person at the terminal, on stderr: a script that reads stdout is not disturbed. */
export function tell(text: string): void {
  process.stderr.write(`${visibleInTerminal(text)}\n`);
}

/** A value as JSON on stdout, pretty in a terminal. DuckDB's BIGINTs are numbers where they are exact, else text. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, jsonValue, process.stdout.isTTY ? 2 : undefined));
}

/** `JSON.stringify` replacer for values JSON has no word for. */
export function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return value;
}
