import { Command, Option } from 'commander';
import { readKeyFlags } from './http/permissions.js';
import type { SandboxOptions } from './options.js';
import { GROUPS, shownDefault, SWITCHES, switchList, type Listening, type Switch } from './switches.js';

export type Flags = Partial<SandboxOptions> & Listening;

/** Reads the flags of the sandbox process. Exits the process for `--help` and for an invalid flag. */
export function readFlags(argv: string[]): Flags {
  const program = new Command('tidemark sandbox').description(
    'The sandbox: a server that behaves like the Company Data API, with an invented market.',
  );
  for (const one of switchList()) program.addOption(optionOf(one));
  program.addHelpText('after', '\nExample:\n  tidemark sandbox --companies 10000 --seed 7 --port 4010\n');
  const { key, ...flags } = program.parse(argv, { from: 'user' }).opts<Omit<Flags, 'key'> & { key?: string[] }>();
  const { host, port } = SWITCHES;
  const all = { ...flags, host: flags.host ?? host.value, port: flags.port ?? port.value };
  return key === undefined ? all : { ...all, ...readKeyFlags(key) };
}

// Give no default value to Commander. An option whose flag is missing then stays undefined, and a state file can set
// it.
function optionOf(one: Switch<unknown>): Option {
  const shown = shownDefault(one);
  const { group, flag, description, parse } = one;
  const option = new Option(flag, shown === null ? description : `${description} (default ${shown})`);
  option.helpGroup(`${GROUPS[group]}:`);
  return parse === undefined ? option : option.argParser(parse);
}
