import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { extractFile } from '../../bootstrap/archive.mjs';
import { makeTarGz, makeZip } from './archives.js';
import { tempFolder } from './helpers.js';

const kinds: [string, typeof makeTarGz][] = [
  ['tar.gz', makeTarGz],
  ['zip', makeZip],
];

it.each(kinds)('extracts one file from a %s, whatever surrounds it', async (_kind, make) => {
  const folder = tempFolder();
  const [archive, target] = [path.join(folder, 'archive'), path.join(folder, 'target')];
  const content = fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(content, content, content, async (before, wanted, after) => {
      writeFileSync(archive, make({ LICENSE: before, 'bin/temporal': wanted, 'temporal.txt': after }));
      await extractFile(archive, 'temporal', target);
      expect(readFileSync(target).equals(wanted)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

it('extracts a file of 5 MB', async () => {
  const folder = tempFolder();
  const wanted = randomBytes(5_000_001);
  writeFileSync(path.join(folder, 'archive'), makeTarGz({ temporal: wanted }));
  await extractFile(path.join(folder, 'archive'), 'temporal', path.join(folder, 'target'));
  expect(readFileSync(path.join(folder, 'target')).equals(wanted)).toBe(true);
});

it.each(kinds)('rejects a %s that is cut off at any byte', async (_kind, make) => {
  const folder = tempFolder();
  const [archive, target] = [path.join(folder, 'archive'), path.join(folder, 'target')];
  const whole = make({ LICENSE: 'text', temporal: randomBytes(2000) });
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
      writeFileSync(archive, whole.subarray(0, length));
      await expect(extractFile(archive, 'temporal', target)).rejects.toThrow(
        /cut off|damaged|bytes|unexpected end|out of range|bounds|no file/,
      );
    }),
    { numRuns: 60 },
  );
});

it.each(kinds)('rejects a %s without the file', async (_kind, make) => {
  const archive = path.join(tempFolder(), 'archive');
  writeFileSync(archive, make({ LICENSE: 'text' }));
  await expect(extractFile(archive, 'temporal', `${archive}.out`)).rejects.toThrow('no file named temporal');
});

it('rejects a file that is no archive and quotes its start', async () => {
  const archive = path.join(tempFolder(), 'archive');
  writeFileSync(archive, '<html>Sign in to the network</html>');
  await expect(extractFile(archive, 'temporal', `${archive}.out`)).rejects.toThrow('<html>Sign in');
});
