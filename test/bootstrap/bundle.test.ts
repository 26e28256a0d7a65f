import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandFile } from '../../bootstrap/bundle.mjs';
import { findBuild } from '../helpers/processes.js';

const BUNDLE = path.join(findBuild(), 'bundle');
const FILES = path.join(findBuild(), 'src', 'cli', 'cli.js');

it('runs commands from the bundle, and a worker from the files', () => {
  expect(commandFile(findBuild(), ['snapshot', '--json'], {})).toBe(path.join(BUNDLE, 'cli.js'));
  expect(commandFile(findBuild(), [], {})).toBe(path.join(BUNDLE, 'cli.js'));
  expect(commandFile(findBuild(), ['--config', 'other.yaml', 'worker'], {})).toBe(FILES);
});

it('runs commands from the files with TIDEMARK_DEBUG, or if a build has no bundle', () => {
  expect(commandFile(findBuild(), ['snapshot'], { TIDEMARK_DEBUG: '1' })).toBe(FILES);
  expect(commandFile('nowhere', ['snapshot'], {})).toBe(path.join('nowhere', 'src', 'cli', 'cli.js'));
});

it('the bundle contains the licence of each of its packages, and none of the worker', () => {
  const licences = readFileSync(path.join(BUNDLE, 'licences.txt'), 'utf8');
  const licensed = new Set([...licences.matchAll(/^(\S+) \d\S*: .+$/gm)].map(([, name]) => name));
  const code = readdirSync(BUNDLE)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(path.join(BUNDLE, name), 'utf8'));
  const found = new Set(
    code.flatMap((text) =>
      [...text.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^./\s][^/\s]*)\//gm)].map(([, name]) => name),
    ),
  );
  expect(found).toContain('@temporalio/client');
  expect([...found].filter((name) => !licensed.has(name))).toEqual([]);
  expect(found).not.toContain('@temporalio/worker');
});
