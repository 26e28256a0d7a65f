import { createHash } from 'node:crypto';
import type { Content, Storage } from '../../store/storage.js';
import type { Item } from './inventory.js';
import { sha256 } from '../../base/hash.js';

const RANGE_BYTES = 8 * 2 ** 20;

/** Reads a file of the data completely. Returns its size and hash; for a spool, those of `readLines`. */
export async function contentOf(storage: Storage, item: Item): Promise<Content> {
  if (item.kind === 'spool') return contentOfLines(await readLines(storage, item));
  const [key] = item.keys;
  return hashKey(storage, key ?? item.path, item.bytes);
}

/** Reads a file piece by piece. Returns its size and hash. A file that is shorter than `bytes` has fewer bytes. */
export async function hashKey(storage: Storage, key: string, bytes: number): Promise<Content> {
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
export async function readLines(storage: Storage, { keys }: Pick<Item, 'keys'>): Promise<Set<string>> {
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

function contentOfLines(lines: Set<string>): Content {
  const body = encodeLines([...lines].toSorted());
  return { bytes: body.length, sha256: sha256(body) };
}
