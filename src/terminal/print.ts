import { isatty } from 'node:tty';
import { createColors } from 'picocolors';
import { visibleInTerminal } from '../core/visible-text.js';

/** Colours for a stream: only in a terminal, and not with NO_COLOR. */
export function colorsFor(stream: NodeJS.WriteStream & { fd: number }): ReturnType<typeof createColors> {
  // Do not use stream.isTTY: without a terminal it is undefined, and the library then guesses (colours on CI).
  return createColors(isatty(stream.fd) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb');
}

/** Prints a line of the result on stdout. Escapes control characters, because the text may come from the API. */
export function say(text = ''): void {
  process.stdout.write(`${visibleInTerminal(text)}\n`);
}

/** Columns of the terminal; Infinity when stdout is a file or a pipe. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** Prints a line for a person on stderr, so that scripts can read stdout. */
export function tell(text: string): void {
  process.stderr.write(`${visibleInTerminal(text)}\n`);
}

/** Prints a value as JSON on stdout, indented in a terminal. BIGINTs are numbers if exact, else text. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, jsonValue, process.stdout.isTTY ? 2 : undefined));
}

/** `JSON.stringify` replacer for bigint values. */
export function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return value;
}
