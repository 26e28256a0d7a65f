import { createHash } from 'node:crypto';
import { TidemarkError } from '../../base/errors.js';
import { version } from '../../base/version.js';
import type { Database } from './database.js';
import { readSqlFile, readSqlFolder } from './sql-files.js';

/*
 * A warehouse has no migrations, because all its rows come from the landing zone. It stores the hash of the SQL that made
 * them. If the installed SQL has another hash, the warehouse is made again (src/maintenance/rebuild.ts).
 */

/** The warehouse was made with other SQL than the installed one. A new one must be made from the landing zone. */
export class WarehouseOutdatedError extends TidemarkError {
  readonly file: string;

  constructor(file: string, madeBy: string | null) {
    const maker = madeBy === null ? 'an unknown program' : `Tidemark ${madeBy}`;
    super('WarehouseOutdated', `The warehouse ${file} was made by ${maker}, and has other tables than this version.`, {
      todo: 'Run `tidemark replay`: it makes the warehouse again from the landing zone, without requests. The next run does so, too.',
    });
    this.file = file;
  }
}

let installed: string | undefined;

/** Returns the hash of all SQL that decides the rows of the ledger: its tables, the staging and the macros (hex). */
export function installedSchema(): string {
  if (installed !== undefined) return installed;
  const files = [readSqlFile('schema.sql'), ...readSqlFolder('staging'), ...readSqlFolder('macros')];
  const hash = createHash('sha256');
  for (const { name, text } of files) hash.update(`${name}\0${text}\0`);
  installed = hash.digest('hex');
  return installed;
}

/**
 * Checks that the installed SQL made the tables of a file. Works on a file that was opened read-only, too.
 * @returns false for an empty file
 * @throws WarehouseOutdatedError when other SQL made the tables
 */
export async function hasSchema(db: Database): Promise<boolean> {
  const tables = await db.rows<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name IN ('main', 'ledger')`,
  );
  if (tables.length === 0) return false;
  const [stored] = tables.some(({ name }) => name === 'main.schema_version')
    ? await db.rows<{ sha256: string; tidemark: string }>('FROM main.schema_version')
    : [];
  if (stored?.sha256 === installedSchema()) return true;
  throw new WarehouseOutdatedError(db.file, stored?.tidemark ?? null);
}

/**
 * Makes the tables of an empty warehouse.
 * @throws WarehouseOutdatedError when the file has tables that other SQL made
 */
export async function ensureSchema(db: Database): Promise<void> {
  if (await hasSchema(db)) return;
  await db.transaction(async () => {
    await db.run('CREATE TABLE main.schema_version (sha256 VARCHAR NOT NULL, tidemark VARCHAR NOT NULL)');
    await db.run('INSERT INTO main.schema_version VALUES ($sha256, $tidemark)', {
      sha256: installedSchema(),
      tidemark: version(),
    });
    await db.runFile(readSqlFile('schema.sql'));
  });
}
