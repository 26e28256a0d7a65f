import type { Command } from 'commander';
import { invalidInput } from '../../base/errors.js';
import { version } from '../../base/version.js';
import { configOption, examples } from '../context.js';
import { FAILED } from '../terminal/print-error.js';
import { colorsFor, say, sayJson } from '../terminal/print.js';
import type { Change } from './change.js';
import type { Newest } from './read-newest.js';

/** Result of `tidemark upgrade --check`. */
interface Check {
  installed: string;
  newest: Newest;
  /** Whether the registry has a newer version; null if it did not answer. */
  isNewer: boolean | null;
  changes: Change[];
}

/** `tidemark upgrade --check`: shows the newest version, and what the installed version changes in this installation. */
export function registerUpgrade(program: Command): void {
  program
    .command('upgrade')
    .summary('check what an upgrade changes; changes nothing')
    .description(
      'compare the installed version with the newest one, and show what the installed version changes in this installation; changes nothing',
    )
    .option('--check', 'required: this command only checks')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The command asks npm for the newest version. Without a network, it says so and
checks the rest. It cannot know what a version changes that is not installed.
To find out, install that version and run the command again before you restart
the workers, or let npx run it: npx tidemark@VERSION upgrade --check

Exit code: 0, or 1 if something would stop the next run.
${examples('tidemark upgrade --check', 'tidemark upgrade --check --json')}`,
    )
    .action(async (options: { check?: boolean; json?: boolean }, command: Command) => {
      if (!options.check)
        throw invalidInput(
          '`tidemark upgrade` does not install anything.',
          'Run `tidemark upgrade --check`. To upgrade, install the new package (`npm install tidemark@latest`) and restart the workers.',
        );
      const check = await runCheck(configOption(command));
      if (options.json) sayJson(check);
      else sayCheck(check);
      if (check.changes.some(({ state }) => state === 'hinders')) process.exitCode = FAILED;
    });
}

async function runCheck(option: string | undefined): Promise<Check> {
  const { isNewer, readNewest } = await import('./read-newest.js');
  const [newest, changes] = await Promise.all([readNewest(), readChanges(option)]);
  const installed = version();
  return {
    installed,
    newest,
    isNewer: newest.version === null ? null : isNewer(newest.version, installed),
    changes,
  };
}

/** Checks the settings, and everything else only if they are valid. */
async function readChanges(option: string | undefined): Promise<Change[]> {
  const [{ loadInForce }, { createClock }, { checkChanges }, { hinders }] = await Promise.all([
    import('../../config/config-in-force.js'),
    import('../../base/time/clock.js'),
    import('./check-changes.js'),
    import('./change.js'),
  ]);
  let config;
  try {
    config = loadInForce(option);
  } catch (error) {
    return [hinders('settings', error)];
  }
  return checkChanges(config, createClock().now());
}

function sayCheck({ installed, newest, isNewer, changes }: Check): void {
  const paint = colorsFor(process.stdout);
  say(`Installed  ${installed}`);
  say(`Newest     ${describeNewest(newest, isNewer)}`);
  if (newest.version !== null && isNewer)
    say(`           To see what it would change: npx tidemark@${newest.version} upgrade --check`);
  say(`\nWhat version ${installed} changes in this installation:`);
  const marks = {
    none: paint.green('✔'),
    changes: paint.yellow('~'),
    hinders: paint.red('✘'),
    unknown: paint.dim('-'),
  };
  const indent = ' '.repeat(13);
  for (const { part, state, message, items, todo } of changes) {
    say(`${marks[state]} ${part.padEnd(9)}  ${message.replaceAll('\n', `\n${indent}`)}`);
    for (const item of items) say(`${indent}${item}`);
    if (todo !== null) say(`${indent}→ ${todo.replaceAll('\n', `\n${indent}  `)}`);
  }
}

function describeNewest(newest: Newest, isNewer: boolean | null): string {
  if (newest.version === null) return newest.error;
  const facts = [
    ...(newest.published === null ? [] : [`published ${newest.published.slice(0, 10)}`]),
    ...(newest.node === null ? [] : [`needs Node.js ${newest.node}, this is ${process.versions.node}`]),
  ];
  const state = isNewer ? '' : '. The installed version is up to date';
  return `${[newest.version, ...facts].join(', ')}${state}.`;
}
