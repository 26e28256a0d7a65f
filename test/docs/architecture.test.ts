import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/processes.js';
import { readFloors } from '../repo/import-rules.js';
import { readProjectFiles } from '../repo/project-files.js';

const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
const PATH = /`((?:src|schemas|activities|workflows|sql|ui|sandbox|test|bench|bootstrap)\/[\w./-]*)`/g;

it('names only files and folders that exist', () => {
  const names = new Set([...page.matchAll(PATH)].map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(40);
  expect([...names].filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});

it('follows one night in fourteen steps, each with its file or folder', () => {
  const steps = [...page.matchAll(/^(\d+)\. \*\*[^]*?(?=^\d+\. |\n\n)/gm)];
  expect(steps.map(([, number]) => Number(number))).toEqual(Array.from({ length: 14 }, (_, i) => i + 1));
  for (const [step] of steps) expect([...step.matchAll(PATH)], step).not.toEqual([]);
});

it('shows every folder of the tree in the order of its imports', () => {
  const tree = /^```text\n(bin\/[^]*?)^```$/m.exec(page)?.[1] ?? '';
  const shown = [...tree.matchAll(/^( *)([\w/]+)\/ {2,}/gm)].map(([, indent = '', name = '']) =>
    indent === '' ? name : `src/${name}`,
  );
  const floors = readFloors(readProjectFiles(/(^|\/)README\.md$/));
  const expected = [...floors.keys()].filter((folder) => !floors.has(path.posix.dirname(folder)));
  expect(shown.toSorted()).toEqual(expected.toSorted());
  for (const [at, folder] of shown.entries())
    for (const lower of floors.get(folder) ?? []) expect(shown.indexOf(lower), `${folder} → ${lower}`).toBeLessThan(at);
});
