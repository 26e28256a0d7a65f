import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Whether a SQL text names a table, macro or column as a whole word. */
export function usesWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word.replaceAll('.', '\\.')}\\b`).test(text);
}

/** Models that read this one, directly or through others. */
export function readersOf(sql: ReadonlyMap<string, string>, model: string): Set<string> {
  return closure(sql, [model]);
}

/** The name of the macro defined at a line of a macro file. */
export function macroAt(text: string, line: number): string | undefined {
  const before = text.split('\n').slice(0, line).join('\n');
  return [...before.matchAll(/\bMACRO (\w+)\(/g)].at(-1)?.[1];
}

/**
 * Streams whose staging file uses a macro, directly or through others; `_` for shared staging files; and models that
 * use it.
 */
export function usesOf(copy: string, macro: string): { staging: Set<string>; models: Set<string> } {
  const known = uses.get(macro);
  if (known !== undefined) return known;
  const macros = new Map(
    readFolder(copy, 'macros').flatMap(([, text]) =>
      text
        .split(/(?=CREATE OR REPLACE TEMP MACRO )/)
        .map((one) => [/\bMACRO (\w+)\(/.exec(one)?.[1] ?? '', one] as const),
    ),
  );
  const names = macro === '' ? [] : [macro, ...closure(macros, [macro])];
  const isUsedIn = ([, text]: readonly [string, string]): boolean => names.some((name) => usesWord(text, name));
  const models = ['core', 'marts', 'ops', 'meta'].flatMap((folder) =>
    readFolder(copy, folder)
      .filter(isUsedIn)
      .map(([name]) => `${folder}.${name}`),
  );
  const staging = readFolder(copy, 'staging')
    .filter(isUsedIn)
    .map(([name]) => (name.startsWith('_') ? '_' : name));
  const found = { staging: new Set(staging), models: new Set(models) };
  uses.set(macro, found);
  return found;
}

const uses = new Map<string, { staging: Set<string>; models: Set<string> }>();

function readFolder(copy: string, folder: string): [string, string][] {
  return readdirSync(path.join(copy, 'sql', folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => [
      name.slice(0, -4),
      readFileSync(path.join(copy, 'sql', folder, name), 'utf8').replaceAll(/--[^\n]*/g, ''),
    ]);
}

function closure(texts: ReadonlyMap<string, string>, first: string[]): Set<string> {
  const found = new Set<string>();
  const queue = [...first];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const [name, text] of texts) {
      if (first.includes(name) || found.has(name) || !usesWord(text, at)) continue;
      found.add(name);
      queue.push(name);
    }
  }
  return found;
}
