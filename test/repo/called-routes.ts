import path from 'node:path';
import { API, type Checker, type Symbol as TypeScriptSymbol, type Type } from 'typescript/unstable/sync';
import { ROOT } from './project-files.js';
import { readImports } from './read-imports.js';

/** Calls the client's function of each route of the reference; a test demands that it has all routes. */
const CALLS = 'test/conformance/client-calls.ts';

/** One route of `client-calls.ts`, up to the name of the client's function. */
const ENTRY = /^ {2}'([A-Z]+ \/[^']*)':[^]*?\bc(?:\.\w+)*\.(\w+)\(/gm;

/**
 * Finds the routes whose client function the code names, by the types of the TypeScript compiler: also functions that
 * are renamed, destructured or passed on.
 * @param sources texts of the code, by path from the root
 * @returns files by route
 */
export function findCalledRoutes(calls: string, sources: ReadonlyMap<string, string>): Map<string, string[]> {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [path.join(ROOT, 'tsconfig.json')] });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new Error('TypeScript opened no project');
    const { checker } = project;
    const entries = [...calls.matchAll(ENTRY)].map((match) => {
      const [text, route = '', name = ''] = match;
      return { route, name, at: match.index + text.length - name.length - 1 };
    });
    const functions = functionsAt(
      checker,
      CALLS,
      entries.map(({ at }) => at),
    );
    const routes = new Map<string, string[]>(entries.map(({ route }) => [route, []]));
    const words = new RegExp(`\\b(?:${[...new Set(entries.map(({ name }) => name))].join('|')})\\b`, 'g');
    for (const [file, text] of sources) {
      const places = [...text.matchAll(words)].map(({ index }) => index);
      const named = new Set(functionsAt(checker, file, places).flat());
      entries.forEach(({ route }, n) => {
        if (functions[n]?.some((id) => named.has(id))) routes.get(route)?.push(file);
      });
    }
    return routes;
  } finally {
    api.close();
  }
}

/** The functions of the client that each place names: by the name's symbol, or by the type of the value. */
function functionsAt(checker: Checker, file: string, places: number[]): string[][] {
  if (places.length === 0) return [];
  const document = path.join(ROOT, file);
  const symbols = checker.getSymbolAtPosition(document, places);
  const types = checker.getTypeAtPosition(document, places);
  return places.map((_, n) => [...declarations(symbols[n], ENDPOINTS), ...typesOf(types[n])]);
}

const ENDPOINTS = '/src/api/routes/endpoints-';
const LISTS = '/src/api/listing.';

/** All lists have the same declaration. Each one has its own type, because queries and pages differ. */
function typesOf(type: Type | undefined): string[] {
  const symbol = type?.getSymbol();
  const isList = declarations(symbol, LISTS).length > 0;
  return isList ? [`list ${type?.id}`] : declarations(symbol, ENDPOINTS);
}

function declarations(symbol: TypeScriptSymbol | undefined, place: string): string[] {
  const found = symbol?.declarations.filter((declaration) => declaration.path.includes(place));
  return found?.map((declaration) => `${declaration.path}:${declaration.index}`) ?? [];
}

/** Files that the processes of Tidemark load: what the first files import, directly or through other files. */
export function findLoaded(sources: ReadonlyMap<string, string>, first: readonly string[]): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    const text = sources.get(file);
    if (text === undefined || loaded.has(file)) return;
    loaded.add(file);
    for (const { specifier, typeOnly } of readImports(text)) {
      if (typeOnly || !specifier.startsWith('.')) continue;
      visit(path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts'));
    }
  };
  first.forEach(visit);
  return loaded;
}
