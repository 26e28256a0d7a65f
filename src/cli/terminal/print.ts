import { isatty } from 'node:tty';
import { createColors } from 'picocolors';
import { visibleInTerminal } from '../../base/text/visible-text.js';
import { wrapLines } from '../../base/text/wrap.js';
import { pasteable } from '../../base/text/pasteable.js';

/** Returns colours for a stream. They are active only in a terminal, and not with NO_COLOR. */
export function colorsFor(stream: NodeJS.WriteStream & { fd: number }): ReturnType<typeof createColors> {
  // Do not use stream.isTTY. It is undefined without a terminal, and the library then guesses, and prints colours in
  // CI.
  return createColors(isatty(stream.fd) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb');
}

/**
 * Prints a text of the result on stdout. Breaks lines that are wider than the terminal. Escapes control characters,
 * because the text may come from the API. Command lines in it get the options of this call (`pasteable`).
 */
export function say(text = ''): void {
  process.stdout.write(`${wrapLines(visibleInTerminal(pasteable(text)), terminalWidth())}\n`);
}

/**
 * Returns the width of the terminal in columns. For a file or a pipe, returns the number in the environment variable
 * COLUMNS, which the program `watch` sets, or else Infinity.
 */
export function terminalWidth(stream: NodeJS.WriteStream = process.stdout): number {
  if (stream.isTTY) return stream.columns;
  const columns = Number(process.env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? columns : Infinity;
}

/** Prints a text for a person on stderr, so that scripts can read stdout. Breaks lines that are wider than the terminal. */
export function tell(text: string): void {
  process.stderr.write(`${wrapLines(visibleInTerminal(pasteable(text)), terminalWidth(process.stderr))}\n`);
}

/** Prints the result of a command: as JSON with `--json`, else as text. */
export function sayResult(options: { json?: boolean }, value: object, text: string): void {
  if (options.json) sayJson(value);
  else say(text);
}

/** Prints a value as JSON on stdout. Indents it in a terminal. BIGINTs become numbers if this is exact, else text. */
export function sayJson(value: unknown): void {
  const text = JSON.stringify(value, jsonValue, process.stdout.isTTY ? 2 : undefined);
  process.stdout.write(`${visibleInTerminal(text)}\n`);
}

/** Converts bigint values for `JSON.stringify`, as its replacer. */
export function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return value;
}
