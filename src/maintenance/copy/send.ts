import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomic } from '../../store/files.js';
import { removeLeftovers } from '../../store/database-files.js';
import type { Lease } from '../../store/lease.js';
import type { Content } from '../../store/storage.js';
import { writeCheckpoint } from '../../warehouse/duckdb/checkpoint.js';
import { contentOf, encodeLines, readLines } from './content.js';
import { isFixed } from './kinds.js';
import { WAREHOUSE, type Item } from './inventory.js';
import type { Place } from './place.js';

/** What was found out about a file while it was sent, so that the comparison need not read it again. */
export interface Sent {
  outcome: 'sent' | 'replaced' | 'same' | 'refused';
  /** Content of the source; undefined for a spool. */
  source?: Content | undefined;
  /** Content of the target, if it was read. */
  target?: Content | undefined;
}

/** Both places of a copy. At least one of them is a data folder. */
export interface Route {
  from: Place;
  to: Place;
  /** Lease of the warehouse in the target, if the target is a bucket. */
  lease?: Lease | undefined;
}

/**
 * Sends a file, unless the target has it with the same content.
 * @param there the file in the target, if there is one
 * @returns `refused` if the target has another file with this name that may not change
 */
export async function send(route: Route, item: Item, there: Item | undefined): Promise<Sent> {
  const { from, to } = route;
  if (item.kind === 'spool') return sendSpool(route, item, there);
  if (there?.bytes === item.bytes) {
    const [source, target] = [await contentOf(from.storage, item), await contentOf(to.storage, there)];
    if (source.sha256 === target.sha256) return { outcome: 'same', source, target };
  }
  const isFixedKind = item.kind === 'identity' || (item.kind !== 'warehouse' && isFixed(item.kind));
  if (there !== undefined && isFixedKind) return { outcome: 'refused' };
  const source = item.kind === 'warehouse' ? await sendWarehouse(route, item) : await transfer(route, item, item.path);
  return { outcome: there === undefined ? 'sent' : 'replaced', source };
}

async function transfer({ from, to }: Route, item: Item, key: string): Promise<Content> {
  const source = item.keys[0] ?? item.path;
  if (from.dataDir !== undefined) return to.storage.upload(key, fileIn(from.dataDir, source));
  if (to.dataDir !== undefined) return from.storage.download(source, fileIn(to.dataDir, key));
  throw new Error('One of the two places must be a folder.');
}

async function sendWarehouse(route: Route, item: Item): Promise<Content> {
  const { from, to, lease } = route;
  if (to.dataDir !== undefined) {
    // It belongs to the file that is replaced.
    removeLeftovers(fileIn(to.dataDir, WAREHOUSE));
    return transfer(route, item, WAREHOUSE);
  }
  if (lease === undefined || from.dataDir === undefined) throw new Error('A checkpoint needs a lease and a folder.');
  const { bytes, sha256 } = await writeCheckpoint(to.storage, fileIn(from.dataDir, WAREHOUSE), lease);
  return { bytes, sha256 };
}

/** Adds the lines that the target lacks: to a bucket as a new piece, to a folder with the lines that are there. */
async function sendSpool({ from, to }: Route, item: Item, there: Item | undefined): Promise<Sent> {
  const lines = await readLines(from.storage, item);
  const known = there === undefined ? new Set<string>() : await readLines(to.storage, there);
  const missing = [...lines].filter((line) => !known.has(line));
  if (missing.length === 0) return { outcome: 'same' };
  if (to.dataDir === undefined) {
    const piece = `${item.path}.pieces/${Date.now()}-${randomUUID().slice(0, 8)}-000000.ndjson`;
    await to.storage.create(piece, encodeLines(missing));
  } else {
    await writeFileAtomic(fileIn(to.dataDir, item.path), encodeLines([...known, ...missing]));
  }
  return { outcome: there === undefined ? 'sent' : 'replaced' };
}

function fileIn(dataDir: string, key: string): string {
  return path.join(dataDir, ...key.split('/'));
}
