import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv, compiled, ROOT } from '../../helpers/processes.js';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';

let folder: ReturnType<typeof emptyFolder>;
let script: string;

beforeAll(async () => {
  folder = emptyFolder();
  writeFileSync(
    path.join(folder.dir, 'tidemark.yaml'),
    "api: { baseUrl: 'http://127.0.0.1:1' }\nmarkets: [{ name: north }, { name: south }]\n",
  );
  // A program named `tidemark` on the PATH, as after an installation.
  const bin = path.join(folder.dir, 'bin');
  mkdirSync(bin);
  const command = [process.execPath, ...compiled([path.join(ROOT, 'bin', 'tidemark.mjs')])].map((word) => `'${word}'`);
  writeFileSync(path.join(bin, 'tidemark'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
  script = (await runCli(['completion', 'bash'], { cwd: folder.dir })).stdout;
});

afterAll(() => folder.remove());

/** Completes a command line as bash does after the tab key. */
async function complete(...words: string[]): Promise<string[]> {
  const test = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = cleanEnv({ PATH: `${path.join(folder.dir, 'bin')}:${process.env['PATH']}` });
  const { stdout } = await promisify(execFile)('bash', ['-c', test, 'bash', ...words], { cwd: folder.dir, env });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it('completes commands and their subcommands', async () => {
    expect(await complete('tidemark', 'sna')).toEqual(['snapshot']);
    expect(await complete('tidemark', 'models', 'ro')).toEqual(['rollback']);
    expect(await complete('tidemark', 'compl')).toEqual(['completion']);
  });

  it('completes options, their values and names of markets', async () => {
    expect(await complete('tidemark', 'snapshot', '--dr')).toEqual(['--dry-run']);
    expect(await complete('tidemark', 'snapshot', '--conf')).toEqual(['--config']);
    expect(await complete('tidemark', 'snapshot', '--market', '')).toEqual(['north', 'south']);
    expect(await complete('tidemark', 'worker', '--queue', 'w')).toEqual(['warehouse']);
    expect(await complete('tidemark', 'completion', 'f')).toEqual(['fish']);
  });

  it('leaves files to the shell', async () => {
    expect(await complete('tidemark', 'resolve', '')).toEqual([]);
    expect(await complete('tidemark', '--config', '')).toEqual([]);
  });

  it.each(['zsh', 'fish'])('prints a script for %s that asks `tidemark complete`', async (shell) => {
    const { code, stdout } = await runCli(['completion', shell], { cwd: folder.dir });
    expect(code).toBe(0);
    expect(stdout).toContain('tidemark complete --');
  });
});
