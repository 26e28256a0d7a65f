import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../base/hash.js';

/*
 * A build of Tidemark contains what every run would have to find out again about `sql/` (prepare-build.ts). Sources that
 * run without a build have no such file. Entries are found by the hash of the text that they describe, so none is stale.
 */

/** Results about texts of `sql/`, by kind and then by the hash of the text. */
export interface Prepared {
  /** Version of DuckDB whose parser read the queries. */
  duckdb: string;
  /** Headers of models, as `parseModel` reads them. */
  headers: Record<string, unknown>;
  /** Names in queries, as `parseQueries` returns them. */
  queries: Record<string, unknown>;
}

/** The file of a build that has the results. */
export const PREPARED_FILE = fileURLToPath(new URL('../../../prepared.json', import.meta.url));

let read: Prepared | undefined;

/** Returns the results that the build contains. There are none if the sources run without a build. */
export function prepared(): Prepared {
  read ??= readPrepared();
  return read;
}

function readPrepared(): Prepared {
  let text: string;
  try {
    text = readFileSync(PREPARED_FILE, 'utf8');
  } catch {
    return { duckdb: '', headers: {}, queries: {} };
  }
  return JSON.parse(text) as Prepared;
}

/** Returns results by the hash of their text. */
export function byHash<T>(results: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...results].map(([text, result]) => [sha256(text), result]));
}
