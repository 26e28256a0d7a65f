import type { Command, HelpConfiguration } from 'commander';
import { terminalWidth } from './print.js';
import { wrapLines } from '../../base/text/wrap.js';

/** Format of `--help`: a list of commands shows only their arguments, so that each command fits on one line. */
export const HELP: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command: Command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) => {
        const name = argument.variadic ? `${argument.name()}...` : argument.name();
        return argument.required ? `<${name}>` : `[${name}]`;
      }),
    ].join(' '),
};

const DEFAULT_WIDTH = 80;

/** Prints a help text in the width of the terminal. */
export function writeHelp(text: string): void {
  const width = terminalWidth();
  process.stdout.write(wrapHelp(text, Number.isFinite(width) ? width : DEFAULT_WIDTH));
}

/** Breaks the long lines of a help text, except examples, which a person copies. */
export function wrapHelp(text: string, columns = DEFAULT_WIDTH): string {
  const [help = '', ...shown] = text.split(/(?=\nExamples?:\n)/);
  return wrapLines(help, columns) + shown.join('');
}
