import { isatty } from 'node:tty';
import { createColors } from 'picocolors';
import { visibleInTerminal } from '../core/visible-text.js';

/** Returns colours for a stream. They are active only in a terminal, and not with NO_COLOR. */
export function colorsFor(stream: NodeJS.WriteStream & { fd: number }): ReturnType<typeof createColors> {
  // Do not use stream.isTTY. It is undefined without a terminal, and the library then guesses, and prints colours in
  // CI.
  return createColors(isatty(stream.fd) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb');
}

/** Prints one line of the result on stdout. Escapes control characters, because the text may come from the API. */
export function say(text = ''): void {
  process.stdout.write(`${visibleInTerminal(text)}\n`);
}

/** Returns the width of the terminal in columns. Infinity when stdout is a file or a pipe. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** Prints a line for people on stderr, so that stdout contains only results for scripts. */
export function tell(text: string): void {
  process.stderr.write(`${visibleInTerminal(text)}\n`);
}

/** Prints a value as JSON on stdout. Indents it in a terminal. BIGINTs become numbers if this is exact, else text. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, jsonValue, process.stdout.isTTY ? 2 : undefined));
}

/** Converts bigint values for `JSON.stringify`, as its replacer. */
export function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return value;
}
