import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackage, npm, runNode, type InstalledPackage } from '../helpers/installed-package.js';
import { ROOT } from '../helpers/processes.js';

/* Runs examples/vitest as a user's project: with the packed package, and with vitest from npm. */

let tidemark: InstalledPackage;
beforeAll(() => {
  tidemark = installPackage();
});
afterAll(() => tidemark?.remove());

it('examples/vitest passes against the packed package', async () => {
  const example = path.join(ROOT, 'examples', 'vitest');
  const { devDependencies } = JSON.parse(readFileSync(path.join(example, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  npm(
    tidemark.folder,
    'install',
    `vitest@${devDependencies['vitest']}`,
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  );
  for (const file of ['count-by-country.ts', 'count-by-country.test.ts'])
    cpSync(path.join(example, file), path.join(tidemark.folder, file));
  writeFileSync(path.join(tidemark.folder, 'vitest.config.js'), 'export default {};\n');
  const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
  const output = await runNode(process.execPath, tidemark.folder, [vitest, 'run'], { NO_COLOR: '1' });
  expect(output).toMatch(/Tests\s+3 passed \(3\)/);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(devDependencies['tidemark']).toBe(`^${version}`);
});
