import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SQL_ROOT = fileURLToPath(new URL('../../sql/', import.meta.url));

/** A SQL file or a seed, with its text. */
export interface SqlFile {
  /** Path relative to `sql/`, with forward slashes: `core/companies.sql`. */
  name: string;
  text: string;
  /** Path to show in messages, if the file is not in `sql/`. */
  path?: string;
}

/** Reads one file of `sql/`. */
export function readSqlFile(name: string): SqlFile {
  return { name, text: readFileSync(path.join(SQL_ROOT, name), 'utf8') };
}

/** Reads the files of one folder of `sql/`, sorted by name. */
export function readSqlFolder(folder: string, extension = '.sql'): SqlFile[] {
  return readdirSync(path.join(SQL_ROOT, folder))
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => readSqlFile(`${folder}/${name}`));
}

/**
 * Reads the .sql files of a folder outside `sql/`, sorted by name. Returns an empty list if the folder does not exist.
 */
export function readSqlFolderAt(root: string, folder: string): SqlFile[] {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({
      name: `${folder}/${name}`,
      text: readFileSync(path.join(at, name), 'utf8'),
      path: path.join(at, name),
    }));
}

/** Quotes a text as a SQL string literal. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Quotes a name as a SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Reads the macros and seeds that all models share. */
export function readShared(): SqlFile[] {
  return [...readSqlFolder('macros'), ...readSqlFolder('seeds', '.csv')];
}
