import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ConfigSchema } from '../../src/config/config-schema.js';
import { parseModel } from '../../src/warehouse/models/models.js';
import { HeaderAudit } from '../../src/warehouse/models/audit-kinds.js';
import { createProgram } from '../../src/cli/program.js';
import { ROOT } from '../helpers/processes.js';
import { callsOf, readBlocks, readCommandLines } from './read-pages.js';

/** Words that stand for something else in a command line, such as `<file>` or `…`. */
const PLACEHOLDER = /^[<[]|[…]|^\.\.\.$/;

const program = await createProgram();
// The examples have scripts of their own.
const scripts = ['.', 'examples/observable', 'examples/vitest'].flatMap((folder) => {
  const text = readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { scripts: object }).scripts);
});
const lines = readCommandLines();
const blocks = readBlocks();
const languages = (...names: string[]) => blocks.filter(({ language }) => names.includes(language));

/** Says what is wrong with the arguments of a call; undefined if nothing is. */
function faultOf(args: readonly string[]): string | undefined {
  let command: Command = program;
  const rest = args[0] === '--config' ? args.slice(2) : [...args];
  for (;;) {
    const inner = command.commands.find((one) => one.name() === rest[0] || one.aliases().includes(rest[0] ?? ''));
    if (inner === undefined) break;
    command = inner;
    rest.shift();
  }
  const words = rest.filter((word) => !PLACEHOLDER.test(word));
  // The sandbox reads its own options; sandbox/README.md is compared with them.
  if (command.name() === 'sandbox' || words.includes('--help') || words.includes('--version')) return undefined;
  const [first = ''] = operandsOf(command, words);
  if (command === program && first !== '') return `no command ${first}`;
  const known = [...program.options, ...command.options];
  const unknown = words.filter(
    (word) => /^-{1,2}[a-z]/.test(word) && !known.some((one) => isNamed(one, word.split('=')[0] ?? '')),
  );
  if (unknown.length > 0) return `${command.name()} has no option ${unknown.join(', ')}`;
  const last = command.registeredArguments.at(-1);
  const operands = operandsOf(command, words);
  if (last?.variadic !== true && operands.length > command.registeredArguments.length)
    return `${command.name()} takes no argument ${operands.at(-1)}`;
  return undefined;
}

function isNamed({ short, long }: Option, word: string): boolean {
  return word === short || word === long;
}

/** Returns the arguments of a call without options and their values. */
function operandsOf(command: Command, words: readonly string[]): string[] {
  const operands: string[] = [];
  let taking: Option | undefined;
  for (const word of words) {
    if (word.startsWith('-')) {
      const option = [...program.options, ...command.options].find((one) => isNamed(one, word));
      taking = option?.required || option?.optional ? option : undefined;
    } else if (taking === undefined) operands.push(word);
    else if (!taking.variadic) taking = undefined;
  }
  return operands;
}

describe('command lines of the pages', () => {
  it('finds them', () => {
    expect(lines.flatMap(({ line }) => callsOf('tidemark', line)).length).toBeGreaterThan(200);
    expect(callsOf('tidemark', `npx tidemark sql "SELECT 1; -- x" --json # tidemark no | tidemark`)).toEqual([
      ['sql', 'SELECT 1; -- x', '--json'],
    ]);
    expect(callsOf('tidemark', 'tidemark a && npx tidemark b > c; echo d | tidemark e')).toEqual([['a'], ['b'], ['e']]);
  });

  it('names only commands and options that exist', () => {
    const wrong = lines.flatMap(({ place, line }) =>
      callsOf('tidemark', line).flatMap((args) => {
        const fault = faultOf(args);
        return fault === undefined ? [] : [`${place}: ${fault}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    [['snapshots'], 'no command snapshots'],
    [['snapshot', '--markets', 'a'], 'snapshot has no option --markets'],
    [['coverage', 'nordics', 'x', 'y'], 'coverage takes no argument y'],
    [['models', 'docs', '--dbt', 'x'], undefined],
    [['--config', 'x.yaml', 'status'], undefined],
  ])('reads %j', (args, fault) => {
    expect(faultOf(args)).toBe(fault);
  });

  it('names only npm scripts that exist', () => {
    const names = lines.flatMap(({ line }) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

describe('other code of the pages', () => {
  const settings = languages('yaml').filter(({ text }) => isSettings(parseAllDocuments(text)[0]?.toJS()));

  it('has valid settings', () => {
    expect(settings.length).toBeGreaterThan(6);
    const wrong = settings.flatMap(({ file, line, text }) => {
      const { filters, ...rest } = parse(text) as { filters?: object };
      const market = filters === undefined ? {} : { markets: [{ name: 'm', filters }] };
      const result = ConfigSchema.safeParse({ api: { baseUrl: 'http://127.0.0.1:1' }, ...market, ...rest });
      return result.success ? [] : [`${file}:${line}: ${result.error.message}`];
    });
    expect(wrong).toEqual([]);
  });

  it('has YAML that parses, and audits that exist', () => {
    for (const { file, line, text } of languages('yaml')) {
      const faults = parseAllDocuments(text).flatMap((document) => ('errors' in document ? document.errors : []));
      expect(faults, `${file}:${line}`).toEqual([]);
      const value: unknown = parseAllDocuments(text)[0]?.toJS();
      const audits = (value as { audits?: unknown[] } | null)?.audits ?? [];
      expect(
        audits.filter((audit) => !HeaderAudit.safeParse(audit).success),
        `${file}:${line}`,
      ).toEqual([]);
    }
  });

  it('has containers with arguments that exist', () => {
    const containers = languages('yaml').flatMap(({ file, line, text }) => {
      const { args } = (parseAllDocuments(text)[0]?.toJS() ?? {}) as { args?: string[] };
      return args === undefined ? [] : [{ place: `${file}:${line}`, fault: faultOf(args) }];
    });
    expect(containers.length).toBeGreaterThan(0);
    expect(containers.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  it('has a model that parses', () => {
    const models = languages('sql').filter(({ text }) => text.startsWith('/*\nmodel:'));
    expect(models.length).toBeGreaterThan(0);
    for (const { text } of models) {
      const name = /^model: (.*)$/m.exec(text)?.[1]?.replace('.', '/');
      expect(parseModel({ name: `${name}.sql`, text }).audits.length).toBeGreaterThan(0);
    }
  });

  // A new language needs a test here, or a word on why its code cannot run.
  it('uses only languages that a test reads', () => {
    const CHECKED: Record<string, string> = {
      sh: 'command lines, above',
      yaml: 'above',
      sql: 'test/sql/cookbook.test.ts runs the queries',
      ts: 'test/repo/installed-package.test.ts compiles and runs docs/client.md',
      python: 'test/examples/python.test.ts runs Polars; `npm run test:lake` runs PySpark, too',
      csv: 'lists to type in; test/src/base/csv reads such lists',
      ini: 'the commands, above; no test starts systemd',
      json: 'has gaps',
      text: 'shows output',
    };
    expect(blocks.filter(({ language }) => !(language in CHECKED)).map(({ file, line }) => `${file}:${line}`)).toEqual(
      [],
    );
  });
});

function isSettings(value: unknown): boolean {
  const names = [...Object.keys(ConfigSchema.shape), 'filters'];
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).every((key) => names.includes(key))
  );
}
