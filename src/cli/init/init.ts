import type { Command } from 'commander';
import { configOption, examples } from '../context.js';
import type { InitOptions } from './flags.js';

const ABOUT = `
Asks for everything that no option names. Shows a forecast before it writes the
file. Stores the API key where \`tidemark login\` stores it, never in the file.
Without a terminal, it needs --yes, and either --sandbox, or --url and an API
key.`;

/** `tidemark init`: writes tidemark.yaml. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .description('ask for the settings and write tidemark.yaml')
    .option('--url <address>', 'address of the API, without /v2 or /v1/finder')
    .option('--key-file <file>', 'file that holds only the API key')
    .option('--sandbox', 'use the sandbox instead of an API; needs no API key')
    .option('--market <name>', 'name of the market; default: the country if there is only one, else "market"')
    .option('--country <names...>', 'countries by name, two-letter code or id; default all')
    .option('--industry <names...>', 'industries by name or id; default all')
    .option('--size <sizes...>', 'number of employees: micro, small, medium, large, 20-99, 500+; default all')
    .option('--at <time>', 'time of the nightly run, HH:MM, or none; default 04:30')
    .option('--timezone <zone>', 'time zone of --at; default: the zone of this machine')
    .option('--yes', 'ask nothing: use the defaults, and write the file')
    .option('--json', 'print the result as JSON; asks nothing')
    .addHelpText('after', ABOUT)
    .addHelpText(
      'after',
      examples(
        'tidemark init',
        'tidemark init --sandbox --yes',
        'tidemark init --url https://api.example.com --key-file key.txt --country Denmark Sweden --size 10+ --yes',
      ),
    )
    .action(async (options: InitOptions, command: Command) => {
      const { runInit } = await import('./run-init.js');
      process.exitCode = await runInit(options, configOption(command));
    });
}
