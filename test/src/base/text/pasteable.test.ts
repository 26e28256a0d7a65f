import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandLine, pasteable, rememberCall, shellQuote } from '../../../../src/base/text/pasteable.js';

const PLAIN = { config: undefined, dataDir: undefined };
const [, script] = process.argv;

beforeEach(() => {
  process.argv[1] = '/srv/bin/tidemark.mjs';
});
afterEach(() => {
  rememberCall(PLAIN);
  process.argv[1] = script ?? '';
});

describe('pasteable', () => {
  it.each([
    ['Run `tidemark setup`.', 'Run `tidemark setup --config y.yaml`.'],
    ['Check the key (tidemark doctor), then wait.', 'Check the key (tidemark doctor --config y.yaml), then wait.'],
    [
      'Follow it with: tidemark snapshot --date 2026-01-01',
      'Follow it with: tidemark snapshot --date 2026-01-01 --config y.yaml',
    ],
    ['To try again: `npx tidemark ui`.', 'To try again: `npx tidemark ui --config y.yaml`.'],
    [
      'Run `tidemark up` or `tidemark worker`.',
      'Run `tidemark up --config y.yaml` or `tidemark worker --config y.yaml`.',
    ],
    ['Run `tidemark init --config other.yaml`.', 'Run `tidemark init --config other.yaml`.'],
    ['Start one with `tidemark sandbox --port 1`.', 'Start one with `tidemark sandbox --port 1`.'],
    ['error: tidemark.yaml declares no market.', 'error: tidemark.yaml declares no market.'],
    ['the folder tidemark has no file', 'the folder tidemark has no file'],
    ['(tidemark.yaml)', '(tidemark.yaml)'],
  ])('%s', (given, expected) => {
    rememberCall({ config: 'y.yaml' });
    expect(pasteable(given)).toBe(expected);
    expect(pasteable(expected)).toBe(expected);
    rememberCall(PLAIN);
    expect(pasteable(given)).toBe(given);
  });

  it('names npx if npx started this process', () => {
    process.argv[1] = '/srv/project/node_modules/.bin/tidemark';
    expect(pasteable('Run `tidemark setup`.')).toBe('Run `npx tidemark setup`.');
  });

  it('names the data folder if the configuration names another one', () => {
    rememberCall({ dataDir: 'data/my demo' });
    expect(commandLine('npx tidemark ui')).toBe("TIDEMARK_DATA='data/my demo' npx tidemark ui");
  });

  it.each([
    'plain/file.csv',
    'two words.csv',
    "o'clock.csv",
    '$HOME `id` "x".csv',
    '-n',
    '',
    'é*?[a].csv',
    'a\nb',
    '~/x',
    '!x',
  ])('quotes %j for a shell', (word) => {
    expect(execFileSync('sh', ['-c', `printf '%s.' ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(`${word}.`);
  });
});
