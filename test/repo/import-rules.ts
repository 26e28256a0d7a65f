import path from 'node:path';
import { readImports } from './read-imports.js';

/** Texts by path from the root, with `/`. */
export type SourceFiles = ReadonlyMap<string, string>;

type Layer =
  | 'schemas'
  | 'lib'
  | 'activities'
  | 'workflows'
  | 'entry'
  | 'sandbox'
  | 'bootstrap'
  | 'stub'
  | 'page'
  | 'tools';

/** Whether row may import column; `type` means by `import type` only. `checkLayers` handles single files. */
const MATRIX: Record<Exclude<Layer, 'tools'>, Partial<Record<Layer, 'yes' | 'type'>>> = {
  schemas: { schemas: 'yes' },
  lib: { schemas: 'yes', lib: 'yes' },
  activities: { schemas: 'yes', lib: 'yes', activities: 'yes' },
  workflows: { schemas: 'type', activities: 'type', workflows: 'yes' },
  entry: { schemas: 'yes', lib: 'yes', activities: 'yes', workflows: 'yes', entry: 'yes', bootstrap: 'yes' },
  sandbox: { schemas: 'yes', sandbox: 'yes' },
  bootstrap: { bootstrap: 'yes' },
  // An independent reading of the API reference: shared code would hide shared errors.
  stub: { stub: 'yes' },
  // Runs in a browser: it knows the answers of the explorer, and nothing else of this project.
  page: { page: 'yes', schemas: 'type' },
};

/** Files of `schemas/` whose values workflows may import: they import no package and depend on nothing but arguments. */
const PLAIN_FOR_WORKFLOWS = new Set([
  'schemas/format.ts',
  'schemas/pipeline/limits.ts',
  'schemas/pipeline/reason.ts',
  'schemas/streams/streams.ts',
]);

/** Files of `schemas/` whose values pages of the explorer may import, for the same reason. */
const PLAIN_FOR_PAGES = new Set(['schemas/explorer/describe-filters.ts']);

/** Packages that a layer may import. Layers not listed may import any except those of `KEPT`. */
const PACKAGES: Partial<Record<Layer, RegExp>> = {
  schemas: /^zod$/,
  workflows: /^@temporalio\/(workflow|common)$/,
  bootstrap: /^(node:|tsx\/)/,
  stub: /^node:/,
  page: /^(preact(\/hooks|-render-to-string)?|@codemirror\/[\w-]+|@lezer\/highlight|echarts\/(core|charts|components|renderers)|@tanstack\/(table|virtual)-core)$/,
};

/** Packages that only certain layers may import. */
const KEPT: [pattern: RegExp, layers: Layer[], why: string][] = [
  [/^@temporalio\/activity$/, ['activities'], 'only activities/ knows that it runs inside Temporal'],
  [/^@temporalio\/workflow$/, ['workflows'], 'only workflows/ runs in the workflow sandbox'],
  [/^@temporalio\//, ['activities', 'workflows', 'entry'], 'a folder in src/ is a library that does not know Temporal'],
  [/^fastify$/, ['sandbox', 'lib'], 'only servers need it'],
];

/** All forbidden imports, one sentence each, in the order of the files. */
export function checkImports(files: SourceFiles): string[] {
  return [...checkLayers(files), ...findCycles(files)];
}

function checkLayers(files: SourceFiles): string[] {
  const faults: string[] = [];
  for (const [file, text] of files) {
    const from = layerOf(file);
    if (from === 'tools') continue;
    for (const { specifier, typeOnly } of readImports(text)) {
      const fault = specifier.startsWith('.')
        ? checkLocal(files, file, from, specifier, typeOnly)
        : checkPackage(from, specifier, typeOnly);
      if (fault !== undefined) faults.push(`${file} imports ${specifier}: ${fault}`);
    }
  }
  return faults;
}

function checkLocal(
  files: SourceFiles,
  file: string,
  from: Exclude<Layer, 'tools'>,
  specifier: string,
  typeOnly: boolean,
): string | undefined {
  const target = resolveLocal(files, file, specifier);
  if (target === undefined) return 'there is no such file';
  const to = layerOf(target);
  const allowed = MATRIX[from][to];
  if (allowed === undefined) return `${from} must not import ${to}`;
  const isPlain =
    (from === 'workflows' && PLAIN_FOR_WORKFLOWS.has(target)) || (from === 'page' && PLAIN_FOR_PAGES.has(target));
  if (allowed === 'type' && !typeOnly && !isPlain) return `${from} may import ${to} by \`import type\` only`;
  if (from === 'workflows' && to === 'activities' && target !== 'activities/contract.ts') {
    return 'workflows see activities/contract.ts and nothing else of activities';
  }
  if (from === 'entry' && to === 'activities' && !typeOnly && !/^src\/(crawl|warehouse)-worker\.ts$/.test(file)) {
    return 'only src/temporal/worker/crawl-worker.ts and src/temporal/worker/warehouse-worker.ts build activities';
  }
  return undefined;
}

function checkPackage(from: Layer, specifier: string, typeOnly: boolean): string | undefined {
  const only = PACKAGES[from];
  if (only && !only.test(specifier)) return `${from} may import ${only.source} only`;
  for (const [pattern, layers, why] of KEPT) {
    if (pattern.test(specifier)) return layers.includes(from) || typeOnly ? undefined : why;
  }
  return undefined;
}

/** The layer of a file: its top folder, and within `src/` whether it is a process or a library. */
export function layerOf(file: string): Layer {
  const [top = '', second = ''] = file.split('/');
  if (top === 'src')
    return second.endsWith('.ts') || second === 'commands' || second === 'terminal' || second === 'temporal'
      ? 'entry'
      : 'lib';
  if (top === 'test' && second === 'stub') return 'stub';
  if (top === 'ui' && second === 'src') return 'page';
  if (top === 'bin' || top === 'bootstrap') return 'bootstrap';
  if (top === 'schemas' || top === 'activities' || top === 'workflows' || top === 'sandbox') return top;
  return 'tools';
}

function resolveLocal(files: SourceFiles, from: string, specifier: string): string | undefined {
  // Vite reads what comes after the question mark: `base.css?inline`.
  const target = path.posix.join(path.posix.dirname(from), specifier.replace(/\?.*$/, ''));
  const candidates = [
    target,
    target.replace(/\.js$/, '.ts'),
    target.replace(/\.js$/, '.tsx'),
    target.replace(/\.mjs$/, '.mts'),
  ];
  return candidates.find((candidate) => files.has(candidate));
}

/**
 * Finds circular imports between files and between the libraries of `src/`, including types: each side must be
 * readable without the other.
 */
export function findCycles(files: SourceFiles): string[] {
  const ofFiles = new Map<string, Set<string>>();
  const ofLibraries = new Map<string, Set<string>>();
  const add = (edges: Map<string, Set<string>>, from: string, to: string): void =>
    void edges.set(from, (edges.get(from) ?? new Set()).add(to));
  for (const [file, text] of files) {
    if (layerOf(file) === 'tools') continue;
    for (const { specifier } of readImports(text).filter((use) => use.specifier.startsWith('.'))) {
      const target = resolveLocal(files, file, specifier);
      if (target === undefined) continue;
      add(ofFiles, file, target);
      if (layerOf(file) !== 'lib' || layerOf(target) !== 'lib' || libraryOf(target) === libraryOf(file)) continue;
      add(ofLibraries, libraryOf(file), libraryOf(target));
    }
  }
  return [
    ...circles(ofLibraries).map((circle) => `libraries of src/ import each other in a circle: ${circle}`),
    ...circles(ofFiles).map((circle) => `files import each other in a circle: ${circle}`),
  ];
}

/** One circle for each import that closes one, beginning with its alphabetically first name. Visits each name once. */
function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found = new Set<string>();
  const finished = new Set<string>();
  const visit = (name: string, trail: string[]): void => {
    const at = trail.indexOf(name);
    if (at >= 0) {
      const circle = trail.slice(at);
      const start = circle.indexOf(circle.toSorted()[0] ?? '');
      found.add([...circle.slice(start), ...circle.slice(0, start)].join(' → '));
      return;
    }
    if (finished.has(name)) return;
    for (const next of edges.get(name) ?? []) visit(next, [...trail, name]);
    finished.add(name);
  };
  for (const name of edges.keys()) visit(name, []);
  return [...found];
}

function libraryOf(file: string): string {
  return file.split('/')[1] ?? '';
}
