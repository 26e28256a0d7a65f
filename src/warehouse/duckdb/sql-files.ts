import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireText } from '../../base/csv/require-text.js';

const SQL_ROOT = fileURLToPath(new URL('../../../sql/', import.meta.url));

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
  return { name, text: readText(path.join(SQL_ROOT, name)) };
}

/** Reads all texts of `sql/`: models, comments, names of columns and seeds. */
export function readSqlTexts(): string[] {
  const entries = readdirSync(SQL_ROOT, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [readText(path.join(entry.parentPath, entry.name))] : []));
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
 * @throws TidemarkError `InvalidInput` when a file is no UTF-8 text
 */
export function readSqlFolderAt(root: string, folder: string): SqlFile[] {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({
      name: `${folder}/${name}`,
      text: readText(path.join(at, name)),
      path: path.join(at, name),
    }));
}

/**
 * Reads a text file. Removes a byte order mark and the carriage returns of line ends, so that an editor or Git on Windows
 * changes neither the models nor their fingerprints.
 */
function readText(file: string): string {
  const bytes = readFileSync(file);
  requireText(bytes, file, 'Save it as UTF-8 in your editor.');
  return bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r+\n/g, '\n');
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
