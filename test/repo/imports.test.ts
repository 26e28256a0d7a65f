import { describe, expect, it } from 'vitest';
import { checkImports, layerOf } from './import-rules.js';
import { readProjectFiles } from './project-files.js';
import { readImports } from './read-imports.js';

describe('import rules', () => {
  it('finds no forbidden import in the repository', () => {
    const files = readProjectFiles(/\.(tsx?|mts|mjs|css)$/);
    expect(files.size).toBeGreaterThan(50);
    expect(checkImports(files)).toEqual([]);
  });

  const others: [string, string][] = [
    ['schemas/a.ts', ''],
    ['activities/contract.ts', ''],
    ['activities/crawl.ts', ''],
    ['workflows/ids.ts', ''],
    ['src/base/time/clock.ts', ''],
    ['src/crawl/search/plan/plan.ts', ''],
    ['src/cli/cli.ts', ''],
    ['src/temporal/worker/worker.ts', ''],
    ['src/cli/local/up.ts', ''],
    ['src/temporal/connect.ts', ''],
    ['sandbox/app.ts', ''],
    ['bootstrap/temporal.mjs', ''],
    ['test/helpers/api.ts', ''],
    ['test/stub/index.ts', ''],
    ['bench/run.ts', ''],
    ['ui/src/app.tsx', ''],
  ];
  const faultsOf = (file: string, text: string): string[] =>
    checkImports(new Map([...others.filter(([name]) => name !== file), [file, text]]));

  it.each([
    ['schemas/b.ts', `import { z } from 'zod';\nimport { a } from './a.js';`],
    [
      'src/crawl/search/plan/plan.ts',
      `import { now } from '../core/clock.js';\nimport type { A } from '../../schemas/a.js';`,
    ],
    [
      'activities/plan.ts',
      `import { heartbeat } from '@temporalio/activity';\nimport { plan } from '../src/planner/plan.js';`,
    ],
    [
      'workflows/run.ts',
      `import type { Activities } from '../activities/contract.js';\nimport type { A } from '../schemas/a.js';`,
    ],
    ['src/temporal/worker/crawl-worker.ts', `import { createActivities } from '../activities/crawl.js';`],
    [
      'src/commands/run.ts',
      `import { id } from '../../workflows/ids.js';\nimport { ensure } from '../../bootstrap/temporal.mjs';`,
    ],
    ['sandbox/server.ts', `import fastify from 'fastify';\nimport { a } from '../schemas/a.js';`],
    ['test/anything.test.ts', `import { app } from '../sandbox/app.js';\nimport { x } from '../src/planner/plan.js';`],
    ['test/stub/x.ts', `import { createServer } from 'node:http';\nimport { a } from './index.js';`],
    ['ui/src/x.tsx', `import { useState } from 'preact/hooks';\nimport type { A } from '../../schemas/a.js';`],
    ['src/core/doc.ts', `// import { app } from '../../sandbox/app.js';\n/* import '../../test/helpers/api.js' */`],
  ])('allows the imports of %s', (file, text) => {
    expect(faultsOf(file, text)).toEqual([]);
  });

  it.each([
    ['schemas/b.ts', `import { now } from '../src/core/clock.js';`, 'schemas must not import lib'],
    ['schemas/b.ts', `import { readFileSync } from 'node:fs';`, 'zod'],
    ['src/core/x.ts', `import { id } from '../../workflows/ids.js';`, 'lib must not import workflows'],
    ['src/core/x.ts', `import { c } from '../temporal/connect.js';`, 'lib must not import entry'],
    ['src/core/x.ts', `import { Client } from '@temporalio/client';`, 'does not know Temporal'],
    ['src/core/x.ts', `const app = await import('../../sandbox/app.js');`, 'lib must not import sandbox'],
    ['src/core/x.ts', `export * from '../../bench/run.js';`, 'lib must not import tools'],
    ['activities/x.ts', `import { id } from '../workflows/ids.js';`, 'activities must not import workflows'],
    ['activities/x.ts', `import {\n  api,\n} from '../test/helpers/api.js';`, 'activities must not import tools'],
    ['workflows/x.ts', `import { a } from '../schemas/a.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import { type A } from '../schemas/a.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import { x } from '../activities/contract.js';`, 'by `import type` only'],
    ['workflows/x.ts', `import type { X } from '../activities/crawl.js';`, 'activities/contract.ts and nothing else'],
    ['workflows/x.ts', `import type { P } from '../src/planner/plan.js';`, 'workflows must not import lib'],
    ['workflows/x.ts', `import { readFileSync } from 'node:fs';`, 'workflows may import'],
    [
      'src/commands/x.ts',
      `import { createActivities } from '../../activities/crawl.js';`,
      'only src/temporal/worker/crawl-worker.ts',
    ],
    ['src/commands/x.ts', `import { app } from '../../sandbox/app.js';`, 'entry must not import sandbox'],
    ['src/cli/cli.ts', `import '../test/helpers/api.js';`, 'entry must not import tools'],
    ['src/cli/cli.ts', `import { heartbeat } from '@temporalio/activity';`, 'only activities/'],
    ['sandbox/x.ts', `import { now } from '../src/core/clock.js';`, 'sandbox must not import lib'],
    ['test/stub/x.ts', `import { app } from '../../sandbox/app.js';`, 'stub must not import sandbox'],
    ['test/stub/x.ts', `import type { A } from '../../schemas/a.js';`, 'stub must not import schemas'],
    ['test/stub/x.ts', `import { api } from '../helpers/api.js';`, 'stub must not import tools'],
    ['test/stub/x.ts', `import { z } from 'zod';`, 'stub may import'],
    ['bootstrap/x.mjs', `import { z } from 'zod';`, 'bootstrap may import'],
    ['ui/src/x.tsx', `import { a } from '../../schemas/a.js';`, 'by `import type` only'],
    ['ui/src/x.tsx', `import { now } from '../../src/base/time/clock.js';`, 'page must not import lib'],
    ['ui/src/x.tsx', `import { readFileSync } from 'node:fs';`, 'page may import'],
    ['src/core/x.ts', `import { App } from '../../ui/src/app.js';`, 'lib must not import page'],
    ['src/core/x.ts', `import { gone } from './gone.js';`, 'there is no such file'],
  ])('rejects in %s: %s', (file, text, reason) => {
    expect(faultsOf(file, text)).toEqual([expect.stringContaining(reason)]);
  });

  it('reports a circular import between libraries once', () => {
    const files = new Map([
      ['src/a/x.ts', `import type { B } from '../b/x.js';`],
      ['src/b/x.ts', `import { c } from '../c/x.js';`],
      ['src/c/x.ts', `export { a } from '../a/x.js';`],
    ]);
    expect(checkImports(files)).toEqual([
      'libraries of src/ import each other in a circle: a → b → c',
      'files import each other in a circle: src/a/x.ts → src/b/x.ts → src/c/x.ts',
    ]);
  });

  it('catches circular imports of files, including types', () => {
    const files = new Map([
      ['schemas/one.ts', `import type { Two } from './two.js';`],
      ['schemas/two.ts', `import { three } from './three.js';`],
      ['schemas/three.ts', `export type { One } from './one.js';`],
      ['schemas/four.ts', `import './one.js';`],
      ['sandbox/one.ts', `const two = await import('./two.js');`],
      ['sandbox/two.ts', `import './one.js';`],
    ]);
    expect(checkImports(files)).toEqual([
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
    ['src/temporal/worker/worker.ts', 'entry'],
    ['src/commands/demo/steps.ts', 'entry'],
    ['src/temporal/connect.ts', 'entry'],
    ['src/load/x.ts', 'lib'],
    ['test/repo/imports.test.ts', 'tools'],
    ['test/stub/server.ts', 'stub'],
    ['vitest.config.ts', 'tools'],
    ['ui/src/views/start.tsx', 'page'],
    ['ui/vite.config.ts', 'tools'],
  ])('assigns %s to layer %s', (file, layer) => {
    expect(layerOf(file)).toBe(layer);
  });
});
