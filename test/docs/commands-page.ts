import path from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { wrapHelp } from '../../src/cli/terminal/help.js';
import { ROOT } from '../helpers/processes.js';

/** The page that lists all commands. */
export const COMMANDS_PAGE = path.join(ROOT, 'docs', 'commands.md');

const INTRODUCTION = `# Commands

Which commands and options are there?

Do not edit this page. \`npm run docs:commands\` writes it from the help of the command line. \`tidemark <command> --help\` prints the same.
Each command also takes \`--config <file>\`, the configuration file; default \`TIDEMARK_CONFIG\`, else \`tidemark.yaml\`.
[Operations](operations.md) shows which command does which daily job, and [JSON answers](json.md) lists what \`--json\` prints.`;

/** Renders docs/commands.md: the help of each command, in the groups of `tidemark --help`. */
export async function renderCommands(): Promise<string> {
  const program = await createProgram();
  const groups = new Map<string, Command[]>();
  for (const command of program.commands) {
    const group = command.helpGroup().replace(/:$/, '');
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  const sections = [...groups].map(([group, commands]) =>
    [`## ${group}`, ...commands.flatMap(withInner).map(renderCommand)].join('\n\n'),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

/** Returns a command and all commands below it, each before its own. */
function withInner(command: Command): Command[] {
  return [command, ...command.commands.filter((inner) => inner.name() !== 'help').flatMap(withInner)];
}

function renderCommand(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  // The introduction names the options that all commands have.
  const own = wrapHelp(help)
    .replace(/\n\nGlobal Options:\n(?:.+\n?)*/, '\n')
    .replace(/^ +-h, --help .*\n/m, '')
    .replace(/^Options:\n(?=\n|$)/m, '');
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return [`### ${names.join(' ')}`, `\`\`\`text\n${own.replaceAll(/\n{3,}/g, '\n\n').trim()}\n\`\`\``].join('\n\n');
}
