import path from 'node:path';
import type { LandingStream } from '../../../schemas/pipeline/landing.js';
import { PEOPLE } from '../../../schemas/pipeline/people.js';
import { landingDir, unprovenFile } from '../../core/data-folder.js';
import { withMemory } from '../../duckdb/in-memory.js';
import { isAddress, ValueFinder } from '../../privacy/values.js';
import { nothingSearched, searchFolder, type Searched } from './search.js';

/** A file that still holds removed values. */
export interface Remaining {
  /** Path, relative to the data folder. */
  file: string;
  /** Number of removed values that are in the file. */
  values: number;
}

/** Result of the search for removed values. */
export interface Proof {
  /** True if every file could be read, and no file holds a value that only removed people had. */
  proven: boolean;
  files: number;
  bytes: number;
  /** Number of Parquet and DuckDB files whose rows were searched, too. */
  decoded: number;
  /** Number of values that the search looked for. */
  values: number;
  /** Number of values that other landed records hold, too, such as first names. The search skipped them. */
  shared: number;
  /** Number of addresses and long numbers that other records about people hold, too. Counted by stream. */
  elsewhere: Record<string, number>;
  remaining: Remaining[];
  unread: string[];
}

/**
 * Searches the data folder for values. Searches the landing zone first: a value found there belongs to other records,
 * too. Then searches all other files for the remaining values.
 * @param scrub called with the remaining values before the other files are searched
 */
export async function prove(
  dataDir: string,
  values: ReadonlySet<string>,
  scrub: (values: string[]) => Promise<void>,
): Promise<Proof> {
  return withMemory(unprovenFile(dataDir), async (db) => {
    const landed = nothingSearched();
    const finder = new ValueFinder(values);
    await searchFolder(db, landingDir(dataDir), finder, () => false, landed);
    const shared = new Set([...landed.found.values()].flatMap((found) => [...found]));
    const own = [...values].filter((value) => !shared.has(value));
    await scrub(own);
    const rest = nothingSearched();
    const landing = path.relative(dataDir, landingDir(dataDir)) + path.sep;
    const skipped = path.relative(dataDir, unprovenFile(dataDir));
    const skip = (name: string): boolean => name.startsWith(landing) || name.startsWith(skipped);
    await searchFolder(db, dataDir, new ValueFinder(own), skip, rest);
    const remaining = [...rest.found].map(([file, found]) => ({ file, values: found.size }));
    const unread = [...landed.unread, ...rest.unread];
    return {
      proven: remaining.length === 0 && unread.length === 0,
      files: landed.files + rest.files,
      bytes: landed.bytes + rest.bytes,
      decoded: landed.decoded + rest.decoded,
      values: own.length,
      shared: shared.size,
      elsewhere: addressesByStream(landed),
      remaining,
      unread,
    };
  });
}

function addressesByStream({ found }: Searched): Record<string, number> {
  const byStream = new Map<string, Set<string>>();
  for (const [file, values] of found) {
    const [stream = ''] = file.split(path.sep);
    // In a record about a company, an address is company data.
    if (PEOPLE[stream as LandingStream] === undefined) continue;
    const known = byStream.get(stream) ?? new Set();
    for (const value of values) if (isAddress(value)) known.add(value);
    byStream.set(stream, known);
  }
  return Object.fromEntries([...byStream].flatMap(([stream, { size }]) => (size > 0 ? [[stream, size]] : [])));
}
