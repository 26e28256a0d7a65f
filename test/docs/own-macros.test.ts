import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readModelSet } from '../../src/warehouse/models/models.js';
import { findFaults } from '../../src/warehouse/models/find-faults.js';
import { ROOT } from '../helpers/processes.js';

it('has an example of macros and seeds that builds', async () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'models.md'), 'utf8');
  const section = page.split('## Macros and seeds\n')[1]?.split('\n## ')[0] ?? '';
  const blocks = [...section.matchAll(/```\w+\n(.*?)```/gs)].map(([, text = '']) => text);
  const files = ['macros/regions.sql', 'seeds/regions.csv', 'seeds/regions.yml', 'marts/company_regions.sql'];
  expect(blocks).toHaveLength(files.length);
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [i, name] of files.entries()) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), blocks[i] ?? '');
  }
  const { models } = await readModelSet(folder);
  const own = models.find(({ model }) => model === 'marts.company_regions');
  expect(own?.uses?.map(({ name }) => name)).toEqual(['seed_regions', 'region_code']);
  expect(await findFaults(models, new Set(['marts.company_regions']))).toEqual(new Map());
});
