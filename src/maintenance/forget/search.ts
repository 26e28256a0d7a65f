import { createReadStream, existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../../base/errors.js';
import { readBytes } from '../../store/files.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import type { ValueFinder } from '../../privacy/value-finder.js';
import { encodingOf, HEAD_BYTES, kindOf, type FileKind } from './kinds.js';
import { searchDuckDb, searchParquet } from './search-rows.js';
import { searchSqlite } from './search-sqlite.js';

const READ_BYTES = 4 * 2 ** 20;

/** Result of a search. */
export interface Searched {
  files: number;
  /** Bytes that were searched. The rows of tables are not counted. */
  bytes: number;
  /** For each file that holds a value: the values. Paths are relative to the folder. */
  found: Map<string, Set<string>>;
  /** Files that could not be read completely. Each entry contains the reason. */
  unread: string[];
}

/** What a search needs to know. */
export interface Search {
  db: Database;
  finder: ValueFinder;
  /** DuckDB files that this removal wrote. Their free blocks never held a removed value. */
  fresh: ReadonlySet<string>;
}

/** Starts an empty result. */
export function nothingSearched(): Searched {
  return { files: 0, bytes: 0, found: new Map(), unread: [] };
}

/**
 * Searches all files of a folder: every byte, and also the content of Parquet, DuckDB and SQLite files.
 * @param skip returns true for a path to leave out, relative to `root`
 */
export async function searchFolder(
  search: Search,
  root: string,
  skip: (name: string) => boolean,
  result: Searched,
): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    // Links lead to builds, which are searched themselves. A link may also lead out of the folder.
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file);
    if (!skip(name)) await searchFile(search, file, name, result);
  }
}

/** Searches one file. `name` is its name in the result. */
export async function searchFile(search: Search, file: string, name: string, result: Searched): Promise<void> {
  const found = new Set<string>();
  try {
    const kind = await readKind(file);
    const isText = kind === 'text';
    result.bytes += await searchBytes(
      search.finder,
      createReadStream(file, { highWaterMark: READ_BYTES }),
      found,
      isText,
    );
    await searchContent(search, file, kind, found);
    result.files++;
  } catch (error) {
    // The file is gone: the heartbeat of a lock renames its file at any time.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(file)) return;
    result.unread.push(`${name}: ${reasonOf(error)}`);
  }
  if (found.size > 0) result.found.set(name, found);
}

async function readKind(file: string): Promise<FileKind> {
  const handle = await open(file, 'r');
  try {
    return kindOf(await readBytes(handle, 0, HEAD_BYTES), file);
  } finally {
    await handle.close();
  }
}

/** Searches the rows of a file of tables. A text has no more than its bytes. */
async function searchContent(
  { db, finder, fresh }: Search,
  file: string,
  kind: FileKind,
  found: Set<string>,
): Promise<void> {
  if (kind === 'packed') throw new Error('it is compressed');
  if (kind === 'sqlite') await searchSqlite(file, finder, found);
  else if (kind === 'parquet') await searchParquet(db, file, finder, found);
  else if (kind === 'duckdb') await searchDuckDb(db, file, finder, found, fresh.has(file));
}

/** Searches bytes piece by piece. With `isText`, also checks that they are text. */
async function searchBytes(
  finder: ValueFinder,
  source: AsyncIterable<unknown>,
  found: Set<string>,
  isText: boolean,
): Promise<number> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let [before, textBefore] = [Buffer.alloc(0), ''];
  let size = 0;
  let fault: unknown;
  for await (const piece of source) {
    const data = piece as Buffer;
    const bytes = Buffer.concat([before, data]);
    finder.find(bytes, found);
    size += data.length;
    before = bytes.subarray(Math.max(0, bytes.length - finder.overlap));
    if (!isText || fault !== undefined) continue;
    decoder ??= new TextDecoder(encodingOf(data), { fatal: true });
    try {
      // The end of the file is not checked: a killed process may leave a part of a character there.
      const text = textBefore + decoder.decode(data, { stream: true });
      if (decoder.encoding === 'utf-8') continue;
      finder.find(Buffer.from(text), found);
      textBefore = text.slice(-finder.overlap);
    } catch (error) {
      fault = error;
    }
  }
  if (fault !== undefined) throw new Error('it is neither text nor a file of a known kind');
  return size;
}

function reasonOf(error: unknown): string {
  return errorMessage(error).split('\n', 1)[0] ?? '';
}
