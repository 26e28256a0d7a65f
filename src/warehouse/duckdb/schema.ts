import { errorMessage, TidemarkError } from '../../base/errors.js';
import { sha256 } from '../../base/hash.js';
import { version } from '../../base/version.js';
import { declaredFields } from '../shapes/declared.js';
import type { Database } from './database.js';
import { duckdbVersion } from './instance.js';
import { storeShared } from './shared.js';
import { readShared, readSqlFile, readSqlFolder } from './sql-files.js';

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

/**
 * Returns the hash of everything that decides the rows of the ledger, or is stored in it (hex): its tables, the staging,
 * macros, seeds and declared fields, and DuckDB, whose function hash() makes the hashes in ledger.year_contents.
 */
export function installedSchema(): string {
  if (installed !== undefined) return installed;
  const files = [readSqlFile('schema.sql'), ...readSqlFolder('staging'), ...readShared()];
  const texts = files.map(({ name, text }) => [name, text]);
  installed = sha256(JSON.stringify([duckdbVersion(), texts, declaredFields()]));
  return installed;
}

/**
 * Checks that the installed SQL made the tables of a file. Works on a file that was opened read-only, too.
 * @returns false for an empty file
 * @throws WarehouseOutdatedError when other SQL made the tables
 */
export async function hasSchema(db: Database): Promise<boolean> {
  const stored = await readVersion(db);
  if (stored?.sha256 === installedSchema()) return true;
  if (stored === undefined && (await db.count(COUNT_TABLES)) === 0) return false;
  throw new WarehouseOutdatedError(db.file, stored?.tidemark ?? null);
}

const COUNT_TABLES = `SELECT count(*) FROM duckdb_tables()
  WHERE database_name = current_database() AND schema_name IN ('main', 'ledger')`;

/** Returns which SQL made the tables; undefined if there is no such record. */
async function readVersion(db: Database): Promise<{ sha256: string; tidemark: string } | undefined> {
  try {
    return (await db.rows<{ sha256: string; tidemark: string }>('FROM main.schema_version'))[0];
  } catch (error) {
    if (errorMessage(error).startsWith('Catalog Error: Table with name schema_version does not exist'))
      return undefined;
    throw error;
  }
}

/**
 * Makes the tables of an empty warehouse, with macros and seeds. From now on, queries find these in the schema `ledger`.
 * Call `prepareSession` before.
 * @throws WarehouseOutdatedError when the file has tables that other SQL made
 */
export async function ensureSchema(db: Database): Promise<void> {
  if (!(await hasSchema(db))) await makeSchema(db);
  else await db.run(FIND_SHARED);
}

const FIND_SHARED = `SET search_path = 'main,ledger'`;

const ADD_INDICATORS = `INSERT INTO base.indicator_ids
  SELECT row_number() OVER (ORDER BY indicator) - 1, indicator, kind FROM seed_indicators`;

async function makeSchema(db: Database): Promise<void> {
  await db.transaction(async () => {
    await db.run('CREATE TABLE main.schema_version (sha256 VARCHAR NOT NULL, tidemark VARCHAR NOT NULL)');
    await db.run('INSERT INTO main.schema_version VALUES ($sha256, $tidemark)', {
      sha256: installedSchema(),
      tidemark: version(),
    });
    await db.runFile(readSqlFile('schema.sql'));
    await db.run(FIND_SHARED);
    await storeShared(db);
    await db.run(ADD_INDICATORS);
  });
}
