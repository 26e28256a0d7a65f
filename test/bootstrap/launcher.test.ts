import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../repo/project-files.js';
import { runFile } from './helpers.js';

const LAUNCHER = path.join(ROOT, 'bin', 'tidemark.mjs');

it('runs the command line without a build step', async () => {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await runFile(LAUNCHER, ['--version']).ended).toEqual({ code: 0, output: `${version}\n` });
});

it('passes on the exit code of the command', async () => {
  expect((await runFile(LAUNCHER, ['no-such-command']).ended).code).toBe(2);
});
