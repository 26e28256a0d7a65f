import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../base/hash.js';

/*
 * One process reads the models many times, so it keeps what it found out about their texts. A build of Tidemark contains
 * what every run would have to find out again about `sql/` (prepare-build.ts). Sources that run without a build have no
 * such file. Entries are found by the hash of the text that they describe, so none is stale.
 */

/** Kinds of results. `headers`: as `parseModel` reads them. `queries`: names in queries, as `parseQueries` returns them. */
type Kind = 'headers' | 'queries';

/** Results about texts, by kind and then by the hash of the text. */
export type Prepared = Record<Kind, Record<string, unknown>>;

/** The file of a build that has the results. */
export const PREPARED_FILE = fileURLToPath(new URL('../../../prepared.json', import.meta.url));

/** What this process knows. At first, it knows the results that the build contains. */
let known: Prepared | undefined;

/** Returns all results that this process knows. */
export function prepared(): Prepared {
  known ??= existsSync(PREPARED_FILE)
    ? (JSON.parse(readFileSync(PREPARED_FILE, 'utf8')) as Prepared)
    : { headers: {}, queries: {} };
  return known;
}

/** Returns the result about a text. Calls `find` only if this process does not know it. */
export function recall<T>(kind: Kind, text: string, find: () => T): T {
  return (prepared()[kind][sha256(text)] ??= find()) as T;
}
