import path from 'node:path';
import { unprovenFile } from '../../store/data-folder.js';
import { withMemory } from '../../warehouse/duckdb/in-memory.js';
import { readSqlTexts } from '../../warehouse/duckdb/sql-files.js';
import { readManifests } from '../../landing/index.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import type { Changes } from './changes.js';
import type { BucketFiles } from './in-bucket.js';
import { nothingSearched, searchFile, searchFolder } from './search.js';
import type { Unproven } from './unproven.js';

/** A file that still holds removed values. */
export interface Remaining {
  /** Path, relative to the data folder. For a file of the bucket: its name there. */
  file: string;
  /** Number of removed values that are in the file. */
  values: number;
}

/** Result of the search for removed values. */
export interface Proof {
  /**
   * True if every file could be read, no file holds a value that only removed people had, and no other person has the
   * address or number of a removed person (or the request accepts this).
   */
  proven: boolean;
  files: number;
  bytes: number;
  /** Number of values that the search looked for. */
  values: number;
  /** Number of values that other landed records hold, too, such as first names. The search skipped them. */
  shared: number;
  /** Number of values that are too short to search for. Other landed records about people do not hold them. */
  short: number;
  /** Records about other people with an address or number of a removed person, each as `<stream> <id of the person>`. */
  others: string[];
  remaining: Remaining[];
  unread: string[];
}

const DAMAGED = 'it is damaged. To keep its answers, restore it and run `tidemark quarantine --return`';

/** What to search for. */
export interface Sought {
  unproven: Unproven;
  /** They know which values people who stay have, too. */
  changes: Changes;
  /** Accept addresses that other people have, too. */
  keepShared: boolean;
  /** DuckDB files that this removal wrote. */
  fresh: ReadonlySet<string>;
  /** Damaged files in quarantine. They count as unreadable, also if DuckDB reads some of their rows. */
  damaged: readonly string[];
}

/**
 * Searches the data folder for values. First searches the rows of the landed parts: a value found there belongs to other
 * records, too. Then searches all other files, and those of the bucket, for the remaining values.
 * @param scrub called with the remaining values before the other files are searched
 */
export async function prove(
  dataDir: string,
  { unproven: { values, short }, changes, keepShared, fresh, damaged }: Sought,
  bucket: BucketFiles,
  scrub: (values: string[]) => Promise<void>,
): Promise<Proof> {
  return withMemory(unprovenFile(dataDir), async (db) => {
    const parts = readManifests(dataDir);
    const landed = nothingSearched();
    const search = { db, finder: new ValueFinder(values), fresh };
    for (const { stream, file } of parts) await searchFile(search, file, `${stream}/${path.basename(file)}`, landed);
    const shared = new Set([...changes.kept, ...[...landed.found.values()].flatMap((found) => [...found])]);
    // Comments of tables and names of columns are in every DuckDB file.
    for (const text of readSqlTexts()) search.finder.find(Buffer.from(text), shared);
    const own = [...values].filter((value) => !shared.has(value));
    await scrub(own);
    const rest = nothingSearched();
    const unreadable = damaged.map((file) => path.relative(dataDir, file));
    const seen = new Set([...parts.map(({ file }) => path.relative(dataDir, file)), ...unreadable]);
    const skipped = path.relative(dataDir, unprovenFile(dataDir));
    const again = { db, finder: new ValueFinder(own), fresh };
    await searchFolder(again, dataDir, (name) => seen.has(name) || name.startsWith(skipped), rest);
    await bucket.search(again, rest);
    const remaining = [...rest.found].map(([file, found]) => ({ file, values: found.size }));
    const unread = [...landed.unread, ...unreadable.map((name) => `${name}: ${DAMAGED}`), ...rest.unread];
    const others = keepShared ? [] : [...changes.others].toSorted();
    return {
      proven: remaining.length === 0 && unread.length === 0 && others.length === 0,
      files: landed.files + rest.files,
      bytes: landed.bytes + rest.bytes,
      values: own.length,
      shared: [...shared].filter((value) => values.has(value)).length,
      short: short.size,
      others,
      remaining,
      unread,
    };
  });
}
