import { createHash } from 'node:crypto';
import type { Content, Storage } from '../../store/storage.js';
import type { Item } from './kinds.js';
import { sha256 } from '../../base/hash.js';

const RANGE_BYTES = 8 * 2 ** 20;

/** Reads a file of the data completely. Returns its size and hash. */
export async function contentOf({ path, storage, keys: [key = path], bytes, content }: Item): Promise<Content> {
  return content ?? hashKey(storage, key, bytes);
}

/** Reads a file piece by piece. A file that is shorter than `bytes` has fewer bytes. */
async function hashKey(storage: Storage, key: string, bytes: number): Promise<Content> {
  const hash = createHash('sha256');
  let read = 0;
  while (read < bytes) {
    const range = await storage.readRange(key, read, Math.min(RANGE_BYTES, bytes - read));
    if (range.length === 0) break;
    hash.update(range);
    read += range.length;
  }
  return { bytes: read, sha256: hash.digest('hex') };
}

/** Reads the complete lines of a spool, each once. Several machines may have given the same line to a bucket. */
export async function readLines({ storage, keys }: Pick<Item, 'storage' | 'keys'>): Promise<Set<string>> {
  const lines = new Set<string>();
  for (const key of keys) {
    const text = (await storage.read(key))?.body.toString('utf8') ?? '';
    for (const line of text.split('\n').slice(0, -1)) lines.add(line);
  }
  return lines;
}

/** Returns the lines of a spool as the content of a file. */
export function encodeLines(lines: Iterable<string>): Buffer {
  return Buffer.from([...lines].map((line) => `${line}\n`).join(''));
}

/** Returns the content of a spool, whatever the order of its lines. */
export function contentOfLines(lines: Set<string>): Content {
  const body = encodeLines([...lines].toSorted());
  return { bytes: body.length, sha256: sha256(body) };
}
