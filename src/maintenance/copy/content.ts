import { sha256 } from '../../base/hash.js';
import type { Content } from '../../store/storage.js';
import type { Item } from './kinds.js';

/** Reads a file of the data completely. Returns its size and hash. */
export async function contentOf({ path, storage, keys: [key = path], content }: Item): Promise<Content> {
  return content ?? storage.digest(key);
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
