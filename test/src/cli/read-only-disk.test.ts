import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DiskLab, mayMount, READ_ONLY, writeProject } from '../../helpers/disk-lab.js';

// test/src/cli/damaged-disks.test.ts has all commands, for `npm run test:long`.
it.skipIf(!mayMount)('ends a writing command on a read-only disk, instead of waiting for the lock', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-empty-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeProject(dir);
  mkdirSync(path.join(dir, 'data', 'warehouse'), { recursive: true });
  mkdirSync(path.join(dir, 'models'));
  const lab = new DiskLab(dir);
  onTestFinished(() => lab.remove());
  const { code, stderr } = await lab.tidemark(['replay'], READ_ONLY);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/mounted read-only.*warehouse: EROFS.*\n.*Mount it writable/),
  ]);
});
