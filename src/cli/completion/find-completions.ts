import type { Command, Option } from 'commander';

/**
 * Finds the words that can complete a command line.
 * @param words command line without its first word; the last word is incomplete or empty
 * @param markets reads the names of the markets
 * @returns words that begin with the last word; none where a file or free text belongs
 */
export async function findCompletions(
  program: Command,
  words: readonly string[],
  markets: () => Promise<string[]>,
): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, pending } = follow(program, words.slice(0, -1));
  const possible = pending === null ? await wordsOf(command, typed, markets) : await valuesOf(pending, markets);
  return possible.filter((word) => word.startsWith(typed));
}

/** Reads complete words. Returns the command that they name, and the option that still needs a value. */
function follow(program: Command, words: readonly string[]): { command: Command; pending: Option | null } {
  let command = program;
  let pending: Option | null = null;
  for (const word of words) {
    if (pending !== null) pending = null;
    else if (word.startsWith('-'))
      pending =
        optionsOf(command).find((option) => [option.long, option.short].includes(word) && option.required) ?? null;
    else command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return { command, pending };
}

async function wordsOf(command: Command, typed: string, markets: () => Promise<string[]>): Promise<string[]> {
  if (typed.startsWith('-'))
    return [...optionsOf(command).flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), '--help'];
  const help = command.createHelp();
  if (command.commands.length > 0) return help.visibleCommands(command).map((one) => one.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const takesMarket = command.registeredArguments.some((argument) => argument.name() === 'market');
  return takesMarket ? markets() : choices;
}

async function valuesOf(option: Option, markets: () => Promise<string[]>): Promise<string[]> {
  return option.long === '--market' ? markets() : (option.argChoices ?? []);
}

/** Returns the options of a command and of the commands above it. */
function optionsOf(command: Command): Option[] {
  return command.parent === null ? [...command.options] : [...command.options, ...optionsOf(command.parent)];
}
