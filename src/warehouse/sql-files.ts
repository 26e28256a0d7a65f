import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SQL_ROOT = fileURLToPath(new URL('../../sql/', import.meta.url));

export interface SqlFile {
  /** Relative to `sql/`, with forward slashes: `core/companies.sql`. */
  name: string;
  text: string;
}

/** One file of `sql/`. */
export function readSqlFile(name: string): SqlFile {
  return { name, text: readFileSync(path.join(SQL_ROOT, name), 'utf8') };
}

/** The files of one folder of `sql/`, by name. */
export function readSqlFolder(folder: string, extension = '.sql'): SqlFile[] {
  return readdirSync(path.join(SQL_ROOT, folder))
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => readSqlFile(`${folder}/${name}`));
}

/** Absolute path of a file under `sql/`, for DuckDB to read. */
export function sqlPath(name: string): string {
  return path.join(SQL_ROOT, name);
}

/** A text as a SQL literal. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as a SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
