import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomic } from '../../store/files.js';
import { removeLeftovers } from '../../store/database-files.js';
import type { Lease } from '../../store/lease.js';
import type { Content } from '../../store/storage.js';
import { writeCheckpoint } from '../../warehouse/duckdb/checkpoint.js';
import { contentOf, contentOfLines, encodeLines, readLines } from './content.js';
import { findCheckpoint } from './inventory.js';
import { isFixed, type Item } from './kinds.js';
import type { Place } from './place.js';

/** Both places of a copy. At least one of them is a data folder. */
export interface Route {
  from: Place;
  to: Place;
  /** Lease of the warehouse in the target, if the target is a bucket. */
  lease?: Lease | undefined;
  /** Whether to compare only. */
  isCheck: boolean;
}

/** What happened to a file, and whether the target equals the source now. */
export interface Synced {
  outcome: 'same' | 'sent' | 'replaced' | 'refused';
  /** `missing`: only the source has the file. `different`: the contents differ. */
  why?: 'missing' | 'different' | undefined;
}

/**
 * Sends a file, unless the target has it with the same content. Then reads the file at the target and compares it. Does
 * not replace a file that never changes.
 * @param there the file in the target, if there is one
 */
export async function sync(route: Route, item: Item, there: Item | undefined): Promise<Synced> {
  if (there?.bytes === item.bytes && isEqual(await contentOf(item), await contentOf(there))) return { outcome: 'same' };
  if (route.isCheck || (there !== undefined && isFixed(item.kind)))
    return { outcome: 'refused', why: there === undefined ? 'missing' : 'different' };
  const { sent, made } = await send(route, item, there);
  const outcome = there === undefined ? 'sent' : 'replaced';
  return { outcome, why: isEqual(sent, await contentOf(made)) ? undefined : 'different' };
}

function isEqual(left: Content, right: Content): boolean {
  return left.sha256 === right.sha256;
}

/** Returns the content that was sent, and the file at the target. */
async function send(route: Route, item: Item, there: Item | undefined): Promise<{ sent: Content; made: Item }> {
  const { from, to, lease } = route;
  const here = (dataDir: string): string => path.join(dataDir, ...item.path.split('/'));
  if (item.kind === 'spool') return sendSpool(to, item, there);
  if (item.kind === 'warehouse') {
    if (to.dataDir === undefined && lease !== undefined && from.dataDir !== undefined) {
      await writeCheckpoint(to.storage, here(from.dataDir), lease);
      return { sent: await contentOf(item), made: (await findCheckpoint(to))[0] ?? item };
    }
    // They belong to the file that is replaced.
    if (to.dataDir !== undefined) removeLeftovers(here(to.dataDir));
  }
  const [key = item.path] = item.keys;
  const made = { ...item, storage: to.storage, keys: [item.path] };
  if (from.dataDir !== undefined) return { sent: await to.storage.upload(item.path, here(from.dataDir)), made };
  if (to.dataDir !== undefined) return { sent: await item.storage.download(key, here(to.dataDir)), made };
  throw new Error('One of the two places must be a folder.');
}

/** Adds the lines that the target lacks: to a bucket as a new piece, to a folder with the lines that are there. */
async function sendSpool(to: Place, item: Item, there: Item | undefined): Promise<{ sent: Content; made: Item }> {
  const lines = await readLines(item);
  const known = there === undefined ? new Set<string>() : await readLines(there);
  const missing = [...lines].filter((line) => !known.has(line));
  const made = { ...item, storage: to.storage, keys: [item.path] };
  if (to.dataDir === undefined) {
    const piece = `${item.path}.pieces/${Date.now()}-${randomUUID().slice(0, 8)}-000000.ndjson`;
    await to.storage.create(piece, encodeLines(missing));
    made.keys = [...(there?.keys ?? []), piece];
  } else {
    await writeFileAtomic(path.join(to.dataDir, ...item.path.split('/')), encodeLines([...known, ...missing]));
  }
  return { sent: contentOfLines(lines), made: { ...made, content: contentOfLines(await readLines(made)) } };
}
