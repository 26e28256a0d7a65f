import type { Storage } from '../../store/storage.js';

/*
 * What `tidemark data copy` copies, by key. A key is the path of a file in a data folder, with `/`. Locks, due plans,
 * logs, dev environments, and the API key stay on their machine.
 */

/**
 * Kinds of files:
 * - `part`, `manifest`: the landing zone; they never change
 * - `secret`: keys of hashes; they never change
 * - `spool`: answers that are not landed yet, as one file in a data folder
 * - `piece`: a piece of a spool in a bucket, or of webhook deliveries
 * - `state`: small files that runs replace
 * - `warehouse`, `identity`: the warehouse and `folder.json` of a data folder
 */
export type Kind = 'part' | 'manifest' | 'secret' | 'spool' | 'piece' | 'state' | 'warehouse' | 'identity';

/** A file of the data, under the path that it has in a data folder. */
export interface Item {
  path: string;
  /** `lake`, `database`: Parquet files and DuckDB file of the current build. */
  kind: Exclude<Kind, 'piece'> | 'lake' | 'database';
  storage: Storage;
  /** Keys in the storage, sorted. A spool in a bucket has several. */
  keys: string[];
  bytes: number;
}

const RUN = String.raw`^landing/[^/]+/date=[^/]+/run=[^/]+/`;
const RULES: readonly (readonly [RegExp, Kind])[] = [
  [new RegExp(`${RUN}_manifest/part-[^/]+\\.json$`), 'manifest'],
  [new RegExp(`${RUN}part-[^/]+\\.parquet$`), 'part'],
  [new RegExp(`${RUN}_spool/part-[^/]+\\.spool$`), 'spool'],
  [new RegExp(`${RUN}_spool/part-[^/]+\\.spool(?:\\.pieces/[^/]+\\.spool|\\.\\d+)$`), 'piece'],
  [new RegExp(`${RUN}_quarantine/part-[^/]+$`), 'state'],
  [/^secrets\/(?:personal-data-key|payee-salt)$/, 'secret'],
  [/^secrets\/(?:forgotten|webhook-secret)$/, 'state'],
  // No run is open, so no due plan is needed.
  [/^runs\/[^/]+\/(?!due\/)/, 'state'],
  [/^(?:calibration|fx|rejects|resolve|payees|alerts|owner-jobs)\/./, 'state'],
  [/^warehouse\/tidemark\.duckdb$/, 'warehouse'],
  [/^folder\.json$/, 'identity'],
];

/** Returns the kind of a file, or undefined if the file is not copied. */
export function kindOf(key: string): Kind | undefined {
  if (key.split('/').some((part) => part.startsWith('.') || /\.lock(?:\.|$)/.test(part))) return undefined;
  return RULES.find(([pattern]) => pattern.test(key))?.[1];
}

/** Whether a file of this kind never changes after it was written. */
export function isFixed(kind: Item['kind']): boolean {
  return kind === 'part' || kind === 'manifest' || kind === 'secret' || kind === 'identity';
}

/** Returns the key of the spool to which a piece belongs. */
export function spoolOfPiece(key: string): string {
  return key.replace(/\.(?:pieces\/[^/]+|\d+)$/, '');
}

/** Returns the runs that have a record of their begin but none of their end, from the keys of a landing zone. */
export function unfinishedRuns(keys: Iterable<string>): string[] {
  const records = new Map<string, Set<string>>();
  for (const key of keys) {
    const [, date, run, record] =
      /^landing\/runs\/date=([^/]+)\/run=([^/]+)\/_manifest\/part-([^/]+)\.json$/.exec(key) ?? [];
    if (run === undefined || record === undefined) continue;
    const name = `${date} ${run}`;
    records.set(name, (records.get(name) ?? new Set()).add(record));
  }
  // A failed or cancelled run has the record `end`. Compaction joins only records of ended runs.
  const isEnd = (record: string): boolean => record === 'close' || record === 'end' || record.startsWith('joined-');
  const isOpen = (found: Set<string>): boolean => found.has('open') && ![...found].some(isEnd);
  return [...records].flatMap(([name, found]) => (isOpen(found) ? [name] : []));
}
