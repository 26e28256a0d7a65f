import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { canLint } from '../../bootstrap/can-lint.mjs';
import { ROOT } from './project-files.js';

const KNIP = path.join(ROOT, 'node_modules', 'knip', 'bin', 'knip.js');

// knip needs the same versions of Node as the linter.
it.skipIf(!canLint(process.versions.node))('has no file, export or package that nothing uses (npm run unused)', () => {
  const args = [KNIP, '--no-progress', '--treat-config-hints-as-errors'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, found: stdout + stderr }).toEqual({ status: 0, found: '' });
});
