import { describe, expect, it } from 'vitest';
import { checkImports, layerOf, readFloors } from './import-rules.js';
import { readProjectFiles } from './project-files.js';
import { readImports } from './read-imports.js';

/** A repository of a few files, with what their folders may import. */
const TREE: Record<string, string> = {
  'schemas/README.md': 'nothing',
  'schemas/a.ts': '',
  'src/base/README.md': 'nothing',
  'src/base/clock.ts': '',
  'src/warehouse/README.md': 'schemas, src/base',
  'src/warehouse/load/README.md': 'src/warehouse/duckdb',
  'src/warehouse/load/load.ts': `import { open } from '../duckdb/open.js';\nimport '../../../schemas/a.js';`,
  'src/warehouse/duckdb/README.md': 'nothing',
  'src/warehouse/duckdb/open.ts': `import { now } from '../../base/clock.js';`,
  'activities/README.md': 'src/warehouse',
  'activities/contract.ts': '',
  'activities/crawl.ts': `import { load } from '../src/warehouse/load/load.js';`,
  'workflows/README.md': 'schemas, activities',
  'workflows/ids.ts': `import type { A } from '../schemas/a.js';\nimport type { Activities } from '../activities/contract.js';`,
  'bootstrap/README.md': 'nothing',
  'bootstrap/temporal.mjs': '',
  'src/cli/README.md': 'bootstrap, workflows, activities',
  'src/cli/cli.ts': `import { id } from '../../workflows/ids.js';\nimport { ensure } from '../../bootstrap/temporal.mjs';`,
  'src/cli/crawl-worker.ts': `import { createActivities } from '../../activities/crawl.js';`,
  'sandbox/app.ts': '',
  'test/helpers/api.ts': '',
  'test/stub/index.ts': '',
  'bench/run.ts': '',
  'ui/src/app.tsx': '',
};
const repository = (changes: Record<string, string> = {}): Map<string, string> =>
  new Map(
    Object.entries({ ...TREE, ...changes }).map(([file, text]) => [
      file,
      file.endsWith('README.md') ? `# x\n\nDoes x.\n\nmay import: ${text}\n` : text,
    ]),
  );

describe('import rules', () => {
  it('finds no import that climbs, no circle and no other forbidden import in the repository', () => {
    const files = readProjectFiles(/\.(tsx?|mts|mjs|css)$|(^|\/)README\.md$/);
    expect(files.size).toBeGreaterThan(50);
    expect(readFloors(files).size).toBeGreaterThan(60);
    expect(checkImports(files)).toEqual([]);
  });

  it('allows the imports that README.md files name', () => {
    expect(checkImports(repository())).toEqual([]);
  });

  it.each([
    ['schemas/b.ts', `import { z } from 'zod';\nimport { a } from './a.js';`],
    ['src/warehouse/x.ts', `import { open } from './duckdb/open.js';`],
    ['activities/x.ts', `import { heartbeat } from '@temporalio/activity';`],
    ['sandbox/server.ts', `import fastify from 'fastify';\nimport { a } from '../schemas/a.js';`],
    [
      'test/any.test.ts',
      `import { app } from '../sandbox/app.js';\nimport { x } from '../src/warehouse/load/load.js';`,
    ],
    ['test/stub/x.ts', `import { createServer } from 'node:http';\nimport { a } from './index.js';`],
    ['ui/src/x.tsx', `import { useState } from 'preact/hooks';\nimport type { A } from '../../schemas/a.js';`],
    ['src/base/doc.ts', `// import { app } from '../../sandbox/app.js';\n/* import '../../test/helpers/api.js' */`],
  ])('allows the imports of %s', (file, text) => {
    expect(checkImports(repository({ [file]: text }))).toEqual([]);
  });

  it.each([
    ['schemas/b.ts', `import { now } from '../src/base/clock.js';`, 'schemas/README.md does not name src/base'],
    ['schemas/b.ts', `import { readFileSync } from 'node:fs';`, 'zod'],
    ['src/base/x.ts', `import type { L } from '../warehouse/load/load.js';`, 'does not name src/warehouse'],
    ['src/base/x.ts', `import { Client } from '@temporalio/client';`, 'does not know Temporal'],
    ['src/base/x.ts', `const app = await import('../../sandbox/app.js');`, 'src/base must not import sandbox'],
    ['src/base/x.ts', `export * from '../../bench/run.js';`, 'src/base must not import tools'],
    ['src/base/x.ts', `import { App } from '../../ui/src/app.js';`, 'src/base must not import page'],
    ['src/base/x.ts', `import { gone } from './gone.js';`, 'there is no such file'],
    ['activities/x.ts', `import {\n  api,\n} from '../test/helpers/api.js';`, 'activities must not import tools'],
    ['workflows/x.ts', `import { a } from '../schemas/a.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import { type A } from '../schemas/a.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import { x } from '../activities/contract.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import type { X } from '../activities/crawl.js';`, 'activities/contract.ts and nothing else'],
    ['workflows/x.ts', `import { readFileSync } from 'node:fs';`, 'workflows may import'],
    ['src/cli/x.ts', `import { createActivities } from '../../activities/crawl.js';`, 'only the crawl worker and'],
    ['src/cli/x.ts', `import { app } from '../../sandbox/app.js';`, 'src/cli must not import sandbox'],
    ['src/cli/x.ts', `import '../../test/helpers/api.js';`, 'src/cli must not import tools'],
    ['src/cli/x.ts', `import { heartbeat } from '@temporalio/activity';`, 'only activities/'],
    ['sandbox/x.ts', `import { now } from '../src/base/clock.js';`, 'sandbox must not import src/base'],
    ['test/stub/x.ts', `import { app } from '../../sandbox/app.js';`, 'stub must not import sandbox'],
    ['test/stub/x.ts', `import type { A } from '../../schemas/a.js';`, 'stub must not import schemas'],
    ['test/stub/x.ts', `import { api } from '../helpers/api.js';`, 'stub must not import tools'],
    ['test/stub/x.ts', `import { z } from 'zod';`, 'stub may import'],
    ['bootstrap/x.mjs', `import { z } from 'zod';`, 'bootstrap may import'],
    ['ui/src/x.tsx', `import { a } from '../../schemas/a.js';`, 'by `import type` only'],
    ['ui/src/x.tsx', `import { now } from '../../src/base/clock.js';`, 'page must not import src/base'],
    ['ui/src/x.tsx', `import { readFileSync } from 'node:fs';`, 'page may import'],
    ['src/new/x.ts', '', 'src/new/x.ts is in no folder with a README.md'],
    ['src/warehouse/new/x.ts', '', 'src/warehouse/new has no README.md'],
    ['src/base/README.md', 'schemas', 'src/base/README.md names schemas, but no file there imports it'],
  ])('rejects in %s: %s', (file, text, reason) => {
    expect(checkImports(repository({ [file]: text }))).toEqual([expect.stringContaining(reason)]);
  });

  it('rejects an import of a room that the room does not name', () => {
    const text = `import type { L } from '../load/load.js';`;
    expect(checkImports(repository({ 'src/warehouse/duckdb/x.ts': text }))).toContain(
      'src/warehouse/duckdb/x.ts imports src/warehouse/load/load.ts: src/warehouse/duckdb/README.md does not name src/warehouse/load',
    );
  });

  it('rejects README.md files that allow a circle, also when no import makes it', () => {
    expect(checkImports(repository({ 'schemas/README.md': 'src/warehouse' }))).toContain(
      'README.md files allow a circle: schemas → src/warehouse',
    );
  });

  it('rejects a circle between a folder and a file beside it', () => {
    const planted = repository({
      'src/warehouse/x.ts': `import { open } from './duckdb/open.js';`,
      'src/warehouse/duckdb/y.ts': `import type { X } from '../x.js';`,
    });
    expect(checkImports(planted)).toEqual([
      'folders import each other in a circle: src/warehouse/duckdb → src/warehouse/x.ts',
    ]);
  });

  it('rejects too many files in src/base, and a long README.md', () => {
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`src/base/x${i}.ts`, '']));
    expect(checkImports(repository(many))).toEqual(['src/base has 16 files; 15 are allowed']);
    const long = new Map(repository()).set('src/base/README.md', '# x\n\nA.\n\nB.\n\nmay import: nothing\n');
    expect(checkImports(long)).toEqual(['src/base/README.md has 7 lines; 5 are allowed']);
  });

  it('catches circular imports of files, including types', () => {
    const files = repository({
      'schemas/one.ts': `import type { Two } from './two.js';`,
      'schemas/two.ts': `import { three } from './three.js';`,
      'schemas/three.ts': `export type { One } from './one.js';`,
      'schemas/four.ts': `import './one.js';`,
      'sandbox/one.ts': `const two = await import('./two.js');`,
      'sandbox/two.ts': `import './one.js';`,
    });
    expect(checkImports(files).filter((fault) => fault.startsWith('files'))).toEqual([
      'files import each other in a circle: schemas/one.ts → schemas/two.ts → schemas/three.ts',
      'files import each other in a circle: sandbox/one.ts → sandbox/two.ts',
    ]);
  });
});

describe('readImports', () => {
  it('reads every form of import and distinguishes type imports', () => {
    const text = [
      `import a, { b } from 'one';`,
      `import type { C } from "two";`,
      `import * as d from 'three';`,
      `import 'four';`,
      `export { e } from 'five';`,
      `export type { F } from 'six';`,
      `export * as g from 'seven';`,
      `const h = await import('eight');`,
      `type I = import('nine').I;`,
      `const j = require('ten');`,
      `import {\n  k, // from 'no'\n  type L,\n} from 'eleven';`,
      'const text = `import m from "no"`;',
      `import type from 'twelve';`,
    ].join('\n');
    expect(
      readImports(text)
        .map((use) => `${use.typeOnly ? 'T ' : ''}${use.specifier}`)
        .toSorted(),
    ).toEqual(
      [
        'one',
        'T two',
        'three',
        'four',
        'five',
        'T six',
        'seven',
        'eight',
        'T nine',
        'ten',
        'eleven',
        'twelve',
      ].toSorted(),
    );
  });
});

describe('layerOf', () => {
  it.each([
    ['src/temporal/worker/worker.ts', 'product'],
    ['schemas/format.ts', 'product'],
    ['test/repo/imports.test.ts', 'tools'],
    ['test/stub/server.ts', 'stub'],
    ['sandbox/app.ts', 'sandbox'],
    ['vitest.config.ts', 'tools'],
    ['ui/src/views/start.tsx', 'page'],
    ['ui/vite.config.ts', 'tools'],
  ])('assigns %s to layer %s', (file, layer) => {
    expect(layerOf(file)).toBe(layer);
  });
});
