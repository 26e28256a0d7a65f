import { InvalidArgumentError, Option } from 'commander';

/** Values of the options `--port`, `--ui-port` and `--sandbox-port`. */
export interface PortOptions {
  port: number;
  uiPort: number;
  sandboxPort: number;
}

/** Makes an option that takes a TCP port. */
export function portOption(flags: string, what: string, fallback: number): Option {
  return new Option(flags, `port of ${what}`).argParser(parsePort).default(fallback);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 1 to 65535.');
}

/** Parses an option that takes a whole number from 0. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('Must be a whole number, 0 or more.');
}
