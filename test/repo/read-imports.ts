/** One module specifier of a source file. */
export interface ImportUse {
  specifier: string;
  /**
   * `import type` or `export type … from`, which vanish at run time. `import { type A }` does not: its module is still
   * loaded.
   */
  typeOnly: boolean;
}

const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
const DECLARATION =
  /^[ \t]*(?:import|export)\s+(?:(type)\s+(?!from\b))?(?:[\w$*{}\s,]+?\sfrom\s*)?(['"])([^'"\n]+)\2/gm;
const CALL = /\b(?:import|require)\(\s*(['"])([^'"\n]+)\1\s*\)(\s*\.\s*[A-Z])?/g;

/**
 * The modules that a TypeScript or JavaScript file imports, re-exports, or loads by `import()` or `require()` with a
 * literal. `import('…').Name` counts as a type. Parses the text itself, because TypeScript 7 offers no parser.
 */
export function readImports(text: string): ImportUse[] {
  const code = text.replace(COMMENT_OR_TEXT, (match) =>
    /^['"]/.test(match) ? match : match.startsWith('`') ? '``' : ' ',
  );
  const declared = [...code.matchAll(DECLARATION)].map((match) => ({
    specifier: match[3] ?? '',
    typeOnly: match[1] === 'type',
  }));
  const called = [...code.matchAll(CALL)].map((match) => ({
    specifier: match[2] ?? '',
    typeOnly: match[3] !== undefined,
  }));
  return [...declared, ...called];
}
