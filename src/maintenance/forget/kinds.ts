/*
 * Kinds of files that a search can read. A file of any other kind could hide a value, so the search says that it could
 * not read the file.
 */

/**
 * - text: the bytes are the content
 * - parquet, duckdb: DuckDB reads them
 * - sqlite: the database of the Temporal server; its pages hold plain bytes
 * - sqlite-log: its write-ahead log or journal
 * - packed: compressed. No part of Tidemark writes such a file, so the search does not read it
 */
export type FileKind = 'text' | 'parquet' | 'duckdb' | 'sqlite' | 'sqlite-log' | 'packed';

/** Number of bytes that `kindOf` needs. */
export const HEAD_BYTES = 16;

const STARTS: readonly (readonly [FileKind, string])[] = [
  ['parquet', '50415231'],
  ['packed', '7801'],
  ['packed', '78da'],
  ['sqlite', Buffer.from('SQLite format 3\0').toString('hex')],
  ['sqlite-log', '377f0682'],
  ['sqlite-log', '377f0683'],
  ['sqlite-log', 'd9d505f920a163d7'],
];

// Compressed bytes are no valid UTF-8, so they cannot pass as text. Only very short ones could: their names tell.
const PACKED = /\.(7z|br|bz2|gz|lz4|xz|z|zip|zst)$/i;

/** Returns the kind of a file by its first bytes and its name. A file is text if nothing else fits. */
export function kindOf(head: Buffer, name: string): FileKind {
  const hex = head.toString('hex');
  const found = STARTS.find(([, start]) => hex.startsWith(start));
  if (found !== undefined) return found[0];
  if (head.subarray(8, 12).toString('latin1') === 'DUCK') return 'duckdb';
  if (PACKED.test(name)) return 'packed';
  // The index of a write-ahead log holds only numbers of pages.
  return name.endsWith('.db-shm') ? 'sqlite-log' : 'text';
}

/** Returns the encoding of a text: UTF-16 with a mark at the start, else UTF-8. */
export function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  return mark === 'feff' ? 'utf-16be' : 'utf-8';
}
