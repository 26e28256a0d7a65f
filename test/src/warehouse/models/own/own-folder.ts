import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a folder of own models, macros and seeds: texts by path. Returns the folder, removed when the test ends. */
export function ownFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeOwn(folder, files);
  return folder;
}

/** Writes files into a folder of own models. Removes a file whose text is null. */
export function writeOwn(folder: string, files: Record<string, string | null>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (text === null) rmSync(file);
    else writeFileSync(file, text);
  }
}

/** The text of a model in `marts`. */
export function mart(name: string, sql: string, columns = 'id: BIGINT | Id', more = ''): string {
  return `/*\nmodel: marts.${name}\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  ${columns}\n${more}*/\n${sql}\n`;
}
