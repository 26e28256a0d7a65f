import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../../core/errors.js';
import type { Database } from '../../duckdb/database.js';
import { identifier, quote } from '../../duckdb/sql-files.js';
import type { ValueFinder } from '../../privacy/values.js';

const READ_BYTES = 4 * 2 ** 20;

/** Result of a search. */
export interface Searched {
  files: number;
  bytes: number;
  /** Number of Parquet and DuckDB files whose rows were searched, too. */
  decoded: number;
  /** For each file that holds a value: the values. Paths are relative to the folder. */
  found: Map<string, Set<string>>;
  /** Files whose rows could not be read. Each entry contains the reason. */
  unread: string[];
}

/** Starts an empty result. */
export function nothingSearched(): Searched {
  return { files: 0, bytes: 0, decoded: 0, found: new Map(), unread: [] };
}

/**
 * Searches all files of a folder: every byte, and also every row of Parquet and DuckDB files, because these may be
 * compressed.
 * @param skip returns true for a path to leave out, relative to `root`
 */
export async function searchFolder(
  db: Database,
  root: string,
  finder: ValueFinder,
  skip: (name: string) => boolean,
  result: Searched,
): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file);
    if (skip(name)) continue;
    const found = new Set<string>();
    try {
      result.bytes += await searchBytes(file, finder, found);
      if (await searchRows(db, file, finder, found)) result.decoded++;
      result.files++;
    } catch (error) {
      // The file is gone: the heartbeat of a lock renames its file at any time.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      result.unread.push(`${name}: ${errorMessage(error)}`);
    }
    if (found.size > 0) result.found.set(name, found);
  }
}

async function searchBytes(file: string, finder: ValueFinder, found: Set<string>): Promise<number> {
  let before = Buffer.alloc(0);
  let size = 0;
  for await (const data of createReadStream(file, { highWaterMark: READ_BYTES })) {
    const bytes = Buffer.concat([before, data as Buffer]);
    finder.find(bytes, found);
    size += (data as Buffer).length;
    before = bytes.subarray(Math.max(0, bytes.length - finder.longest - 2));
  }
  return size;
}

async function searchRows(db: Database, file: string, finder: ValueFinder, found: Set<string>): Promise<boolean> {
  const start = Buffer.alloc(12);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, start, 0, 12, 0);
  } finally {
    closeSync(handle);
  }
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') {
    await searchTable(db, `read_parquet(${quote(file)}, hive_partitioning = false)`, finder, found);
    return true;
  }
  if (start.subarray(8, 12).toString('latin1') !== 'DUCK') return false;
  await db.run(`ATTACH ${quote(file)} AS searched (READ_ONLY)`);
  try {
    const tables = await db.rows<{ schema: string; name: string }>(
      `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE database_name = 'searched'`,
    );
    for (const { schema, name } of tables) {
      await searchTable(db, `searched.${identifier(schema)}.${identifier(name)}`, finder, found);
    }
  } finally {
    await db.run('DETACH searched');
  }
  return true;
}

// Column types that hold neither text nor an id.
const TEXTLESS = /^(DATE|TIME|TIMESTAMP.*|DOUBLE|FLOAT|BOOLEAN|INTERVAL|TINYINT|SMALLINT)$/;

async function searchTable(db: Database, table: string, finder: ValueFinder, found: Set<string>): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE SELECT * FROM ${table}`);
  const columns = described.flatMap(({ column_name, column_type }) => {
    if (TEXTLESS.test(column_type)) return [];
    const isNested = /[[(]/.test(column_type) && !column_type.startsWith('DECIMAL');
    const column = identifier(column_name);
    return [`CAST(${isNested ? `to_json(${column})` : column} AS VARCHAR)`];
  });
  if (columns.length === 0) return;
  for await (const rows of db.stream(`SELECT concat_ws(chr(10), ${columns.join(', ')}) FROM ${table}`)) {
    finder.find(Buffer.from(rows.map(([text]) => String(text)).join('\n')), found);
  }
}
