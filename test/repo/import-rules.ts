import path from 'node:path';
import { readImports } from './read-imports.js';

/** Texts by path from the root, with `/`. */
export type SourceFiles = ReadonlyMap<string, string>;

type Layer = 'product' | 'sandbox' | 'stub' | 'page' | 'tools';

/*
 * The README.md of a folder says in its line `may import:` which other folders its files may import. A folder whose
 * parent has no such README is a floor: its line names floors. A folder in a floor is a room: its line names other rooms
 * of the same floor. Files that lie directly in a floor belong to no room.
 */
const MAY_IMPORT = /^may import: (.+)$/m;
const MOST_LINES = 5;

/** Tools without a subject attract strays. */
const MOST_FILES: Record<string, number> = { 'src/base': 15 };

/** What folders without such a line may import; `type` means by `import type` only. */
const OTHERS: Record<'sandbox' | 'stub' | 'page', Record<string, 'yes' | 'type'>> = {
  sandbox: { schemas: 'yes' },
  // An independent reading of the API reference: shared code would hide shared errors.
  stub: {},
  // Runs in a browser: it knows the answers of the explorer, and nothing else of this project.
  page: { schemas: 'type' },
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

/** Packages that a folder may import. Folders not listed may import any except those of `KEPT`. */
const PACKAGES: Record<string, RegExp> = {
  schemas: /^zod$/,
  workflows: /^@temporalio\/(workflow|common)$/,
  bin: /^node:/,
  bootstrap: /^(node:|tsx\/)/,
  stub: /^node:/,
  page: /^(preact(\/hooks|-render-to-string)?|@codemirror\/[\w-]+|@lezer\/highlight|echarts\/(core|charts|components|renderers)|@tanstack\/(table|virtual)-core)$/,
};

/** Packages that only certain folders may import. */
const KEPT: [pattern: RegExp, folders: RegExp, why: string][] = [
  [/^@temporalio\/activity$/, /^activities$/, 'only activities/ knows that it runs inside Temporal'],
  [/^@temporalio\/workflow$/, /^workflows$/, 'only workflows/ runs in the workflow sandbox'],
  [/^@temporalio\//, /^(activities|workflows|src\/temporal|src\/cli)$/, 'this folder does not know Temporal'],
  [/^fastify$/, /^(sandbox|src\/serve)$/, 'only servers need it'],
];

/** All faults, one sentence each: forbidden imports, circles, and lines `may import:` that say too much. */
export function checkImports(files: SourceFiles): string[] {
  const floors = readFloors(files);
  const arrows = findArrows(files);
  return [
    ...checkFiles(files, floors),
    ...checkArrows(arrows, floors),
    ...checkUnused(arrows, floors),
    ...checkReadmes(files, floors),
    ...findCircles(arrows, floors),
  ];
}

/** Reads the lines `may import:`, by folder. */
export function readFloors(files: SourceFiles): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const [file, text] of files) {
    const names = path.posix.basename(file) === 'README.md' ? MAY_IMPORT.exec(text)?.[1] : undefined;
    if (names === undefined) continue;
    found.set(path.posix.dirname(file), new Set(names === 'nothing' ? [] : names.split(', ')));
  }
  return found;
}

type Floors = ReturnType<typeof readFloors>;

interface Arrow {
  from: string;
  to: string;
}

function findArrows(files: SourceFiles): Arrow[] {
  const arrows: Arrow[] = [];
  for (const [from, text] of files) {
    if (layerOf(from) === 'tools') continue;
    for (const { specifier } of readImports(text).filter((use) => use.specifier.startsWith('.'))) {
      const to = resolveLocal(files, from, specifier);
      if (to !== undefined) arrows.push({ from, to });
    }
  }
  return arrows;
}

/** The floor of a file; undefined if it is in none. */
function floorOf(file: string, floors: Floors): string | undefined {
  return foldersOf(file).find((folder) => floors.has(folder));
}

/** The room of a file; undefined if it lies directly in its floor, or is in none. */
function roomOf(file: string, floors: Floors): string | undefined {
  return foldersOf(file).filter((folder) => floors.has(folder))[1];
}

/** The folders of a file, the outermost first. */
function foldersOf(file: string): string[] {
  const names = file.split('/').slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}

/** The arrow between floors or between rooms that an import makes; undefined inside a room. */
function arrowBetween({ from, to }: Arrow, floors: Floors): Arrow | undefined {
  const [a, b] = [floorOf(from, floors), floorOf(to, floors)];
  if (a === undefined || b === undefined) return undefined;
  if (a !== b) return { from: a, to: b };
  const [x, y] = [roomOf(from, floors), roomOf(to, floors)];
  return x === undefined || y === undefined || x === y ? undefined : { from: x, to: y };
}

function checkArrows(arrows: readonly Arrow[], floors: Floors): string[] {
  return arrows.flatMap((arrow) => {
    const between = arrowBetween(arrow, floors);
    if (between === undefined || floors.get(between.from)?.has(between.to) === true) return [];
    return [`${arrow.from} imports ${arrow.to}: ${between.from}/README.md does not name ${between.to}`];
  });
}

function checkUnused(arrows: readonly Arrow[], floors: Floors): string[] {
  const used = new Set<string>();
  for (const arrow of arrows) {
    const between = arrowBetween(arrow, floors);
    if (between !== undefined) used.add(`${between.from} ${between.to}`);
  }
  return [...floors].flatMap(([folder, names]) =>
    [...names]
      .filter((name) => !used.has(`${folder} ${name}`))
      .map((name) => `${folder}/README.md names ${name}, but no file there imports it`),
  );
}

function checkReadmes(files: SourceFiles, floors: Floors): string[] {
  const faults: string[] = [];
  for (const folder of floors.keys()) {
    const lines = (files.get(`${folder}/README.md`) ?? '').trimEnd().split('\n').length;
    if (lines > MOST_LINES) faults.push(`${folder}/README.md has ${lines} lines; ${MOST_LINES} are allowed`);
  }
  const sources = [...files.keys()].filter((file) => /\.(ts|mts|mjs)$/.test(file) && layerOf(file) === 'product');
  for (const file of sources) {
    const parent = path.posix.dirname(file);
    if (floorOf(file, floors) === undefined) faults.push(`${file} is in no folder with a README.md`);
    const isRoom = path.posix.dirname(parent) === floorOf(file, floors);
    if (isRoom && !floors.has(parent)) faults.push(`${parent} has no README.md`);
  }
  for (const [folder, most] of Object.entries(MOST_FILES)) {
    const here = sources.filter((file) => path.posix.dirname(file) === folder).length;
    if (here > most) faults.push(`${folder} has ${here} files; ${most} are allowed`);
  }
  return [...new Set(faults)];
}

/** Circles of floors, of rooms and the other files of a floor, and of files; imports of types count, too. */
function findCircles(arrows: readonly Arrow[], floors: Floors): string[] {
  const ofFloors = new Graph();
  for (const [folder, names] of floors) for (const name of names) ofFloors.add(folder, name);
  const ofRooms = new Graph();
  const ofFiles = new Graph();
  for (const { from, to } of arrows) {
    ofFiles.add(from, to);
    const floor = floorOf(from, floors);
    if (floor === undefined || floor !== floorOf(to, floors)) continue;
    const [a, b] = [roomOf(from, floors) ?? from, roomOf(to, floors) ?? to];
    if (a !== b) ofRooms.add(a, b);
  }
  return [
    ...ofFloors.circles().map((circle) => `README.md files allow a circle: ${circle}`),
    ...ofRooms.circles().map((circle) => `folders import each other in a circle: ${circle}`),
    ...ofFiles.circles().map((circle) => `files import each other in a circle: ${circle}`),
  ];
}

class Graph {
  readonly #edges = new Map<string, Set<string>>();

  add(from: string, to: string): void {
    this.#edges.set(from, (this.#edges.get(from) ?? new Set()).add(to));
  }

  /** One circle for each import that closes one, beginning with its alphabetically first name. Visits each name once. */
  circles(): string[] {
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
      for (const next of this.#edges.get(name) ?? []) visit(next, [...trail, name]);
      finished.add(name);
    };
    for (const name of this.#edges.keys()) visit(name, []);
    return [...found];
  }
}

/** Rules about single imports that the lines `may import:` do not state. */
function checkFiles(files: SourceFiles, floors: Floors): string[] {
  const faults: string[] = [];
  for (const [file, text] of files) {
    const layer = layerOf(file);
    if (layer === 'tools') continue;
    for (const { specifier, typeOnly } of readImports(text)) {
      const fault = specifier.startsWith('.')
        ? checkLocal(files, floors, { file, layer, specifier, typeOnly })
        : checkPackage(floorOf(file, floors) ?? layer, specifier, typeOnly);
      if (fault !== undefined) faults.push(`${file} imports ${specifier}: ${fault}`);
    }
  }
  return faults;
}

interface LocalUse {
  file: string;
  layer: Exclude<Layer, 'tools'>;
  specifier: string;
  typeOnly: boolean;
}

function checkLocal(
  files: SourceFiles,
  floors: Floors,
  { file, layer, specifier, typeOnly }: LocalUse,
): string | undefined {
  const target = resolveLocal(files, file, specifier);
  if (target === undefined) return 'there is no such file';
  const [from, to] = [floorOf(file, floors), floorOf(target, floors) ?? layerOf(target)];
  if (layer === 'product') {
    if (to === 'sandbox' || to === 'stub' || to === 'page' || to === 'tools')
      return `${from ?? file} must not import ${to}`;
    if (from === 'workflows') return checkWorkflow(target, to, typeOnly);
    if (to === 'activities' && from !== 'activities' && !typeOnly && !file.endsWith('-worker.ts'))
      return 'only the crawl worker and the warehouse worker build activities';
    return undefined;
  }
  if (to === layer) return undefined;
  const allowed = OTHERS[layer][to];
  if (allowed === undefined) return `${layer} must not import ${to}`;
  if (allowed === 'type' && !typeOnly && !PLAIN_FOR_PAGES.has(target))
    return `${layer} may import ${to} by \`import type\` only`;
  return undefined;
}

function checkWorkflow(target: string, to: string, typeOnly: boolean): string | undefined {
  if (to === 'workflows') return undefined;
  if (to === 'activities' && target !== 'activities/contract.ts')
    return 'workflows see activities/contract.ts and nothing else of activities';
  return typeOnly || PLAIN_FOR_WORKFLOWS.has(target) ? undefined : `workflows may import ${to} by \`import type\` only`;
}

function checkPackage(from: string, specifier: string, typeOnly: boolean): string | undefined {
  const only = PACKAGES[from];
  if (only && !only.test(specifier)) return `${from} may import ${only.source} only`;
  for (const [pattern, folders, why] of KEPT) {
    if (pattern.test(specifier)) return folders.test(from) || typeOnly ? undefined : why;
  }
  return undefined;
}

/** Whether a file is part of the product, of the sandbox, of the second API server, of the pages, or a tool. */
export function layerOf(file: string): Layer {
  const [top = '', second = ''] = file.split('/');
  if (top === 'test' && second === 'stub') return 'stub';
  if (top === 'ui' && second === 'src') return 'page';
  if (top === 'sandbox') return 'sandbox';
  return /^(src|schemas|activities|workflows|bootstrap|bin)$/.test(top) ? 'product' : 'tools';
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
