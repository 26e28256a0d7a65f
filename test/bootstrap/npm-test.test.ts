import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { canLint } from '../../bootstrap/can-lint.mjs';
import { ROOT } from '../repo/project-files.js';
import { runFile, tempFolder } from './helpers.js';

const TESTED = {
  'package.json': '{ "type": "module" }',
  'package-lock.json': '{ "packages": {} }',
  'tsconfig.json':
    '{ "compilerOptions": { "noEmit": true, "strict": true, "types": [], "skipLibCheck": true }, "include": ["src"] }',
  'workflows/tsconfig.json': '{ "extends": "../tsconfig.json", "include": ["."] }',
  'workflows/run.ts': 'export const run = 1;\n',
  '.oxlintrc.json': '{ "ignorePatterns": ["node_modules", "bootstrap"] }',
  'vitest.config.ts': 'export default { test: { include: ["test/**/*.test.ts"] } };\n',
  'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b;\n',
  'test/sum.test.ts': `import { expect, it } from 'vitest';\nimport { sum } from '../src/sum.js';\nit('adds', () => expect(sum(1, 2)).toBe(3));\nit('adds more', () => expect(sum(2, 2)).toBe(4));\n`,
};

const LINT = canLint(process.versions.node) ? 1 : 0;

/** Runs our `npm test` in a small temporary project with our packages. */
async function runTests(
  files: Record<string, string>,
  { cli = 'echo "temporal version 1.5.1 (Server 1.29.1)"', ci = 'true' } = {},
) {
  const root = tempFolder();
  for (const folder of ['bootstrap', 'src/store/lock'])
    cpSync(path.join(ROOT, folder), path.join(root, folder), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'), 'dir');
  for (const [name, text] of Object.entries({ ...TESTED, ...files })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  writeFileSync(path.join(root, 'temporal'), `#!/bin/sh\n${cli}\n`, { mode: 0o755 });
  const { VITEST: _1, VITEST_MODE: _2, VITEST_POOL_ID: _3, VITEST_WORKER_ID: _4, NODE_ENV: _5, ...env } = process.env;
  const run = runFile(path.join(root, 'bootstrap', 'test.mjs'), [], {
    ...env,
    CI: ci,
    TEMPORAL_CLI_PATH: path.join(root, 'temporal'),
  });
  const { code, output } = await run.ended;
  return { code, output, lastLine: output.trimEnd().split('\n').at(-1) };
}

// The stand-in for the CLI is a shell script.
describe.skipIf(process.platform === 'win32')('npm test', () => {
  it('npm test counts types, lint and tests', async () => {
    const { code, lastLine, output } = await runTests({});
    expect(lastLine, output).toBe(`${3 + LINT} passed, 0 failed`);
    expect(code).toBe(0);
  });

  it('npm test counts every kind of failure and continues after each', async () => {
    const { code, lastLine, output } = await runTests(
      {
        'workflows/run.ts': 'export const run: string = 1;\n',
        'src/lint.ts': 'export function f(): void {\n  debugger;\n}\n',
        'test/fails.test.ts': `import { expect, it } from 'vitest';\nit('fails', () => expect(1).toBe(2));\n`,
        'test/broken.test.ts': `import './no-such-file.js';\n`,
      },
      { cli: 'exit 1' },
    );
    expect(lastLine, output).toBe(`2 passed, ${4 + LINT} failed`);
    expect(code).toBe(1);
  });

  it.each([
    ['on the last line', '', [`${3 + LINT} passed, 0 failed, 1 skipped`]],
    ['on the line before the last one where CI reads it', 'true', ['1 skipped', `${3 + LINT} passed, 0 failed`]],
  ])('npm test says how many tests were skipped %s', async (_where, ci, lines) => {
    const skipped = `import { it } from 'vitest';\nit.skip('waits for a browser', () => undefined);\n`;
    const { code, output } = await runTests({ 'test/skipped.test.ts': skipped }, { ci });
    expect(output.trimEnd().split('\n').slice(-lines.length)).toEqual(lines);
    expect(code).toBe(0);
  });

  it('npm test counts a killed test process as failed', async () => {
    const { code, lastLine, output } = await runTests({
      'test/dies.test.ts': `import { it } from 'vitest';\nit('dies', () => process.kill(process.pid, 'SIGKILL'));\n`,
    });
    expect(lastLine, output).toMatch(/^\d+ passed, [1-9]\d* failed$/);
    expect(code).toBe(1);
  });

  it('npm test counts a crashed test run as failed', async () => {
    const { code, lastLine, output } = await runTests({ 'vitest.config.ts': `process.exit(0);\n` });
    expect(lastLine, output).toBe(`${1 + LINT} passed, 1 failed`);
    expect(code).toBe(1);
  });
});
