import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomic } from '../../store/files.js';
import { removeLeftovers } from '../../store/database-files.js';
import { Lease } from '../../store/lease.js';
import type { Content } from '../../store/storage.js';
import { writeCheckpoint } from '../../warehouse/duckdb/checkpoint.js';
import { contentOf, contentOfLines, encodeLines, readLines } from './content.js';
import { findCheckpoint } from './inventory.js';
import type { Right } from './hold.js';
import { isFixed, type Item } from './kinds.js';
import type { Place } from './place.js';

/** Both places of a copy. At least one of them is a data folder. */
export interface Route {
  from: Place;
  to: Place;
  /** The rights to write the warehouses of both places, in this order. None: the places are only compared. */
  rights: readonly Right[];
}

/**
 * What happened to a file. `missing`: only the source has it. `different`: the contents differ. In all other cases, the
 * target equals the source now.
 */
export type Outcome = 'same' | 'sent' | 'replaced' | 'missing' | 'different';

/**
 * Sends a file, unless the target has it with the same content. Then reads the file at the target and compares it. Does
 * not replace a file that never changes.
 * @param there the file in the target, if there is one
 */
export async function sync(route: Route, item: Item, there: Item | undefined): Promise<Outcome> {
  if (there?.bytes === item.bytes && isEqual(await contentOf(item), await contentOf(there))) return 'same';
  if (there !== undefined && (route.rights.length === 0 || isFixed(item.kind))) return 'different';
  if (route.rights.length === 0) return 'missing';
  const { sent, made } = await send(route, item, there);
  if (!isEqual(sent, await contentOf(made))) return 'different';
  return there === undefined ? 'sent' : 'replaced';
}

function isEqual(left: Content, right: Content): boolean {
  return left.sha256 === right.sha256;
}

/** Returns the content that was sent, and the file at the target. */
async function send(
  { from, to, rights: [, right] }: Route,
  item: Item,
  there: Item | undefined,
): Promise<{ sent: Content; made: Item }> {
  if (item.kind === 'spool') return sendSpool(to, item, there);
  const here = (dataDir: string): string => path.join(dataDir, ...item.path.split('/'));
  const [key = item.path] = item.keys;
  const made = { ...item, storage: to.storage, keys: [item.path] };
  if (to.dataDir !== undefined) {
    // They belong to the file that is replaced.
    if (item.kind === 'warehouse') removeLeftovers(here(to.dataDir));
    return { sent: await item.storage.download(key, here(to.dataDir)), made };
  }
  if (from.dataDir === undefined) throw new Error('One of the two places must be a folder.');
  if (item.kind !== 'warehouse' || !(right instanceof Lease))
    return { sent: await to.storage.upload(item.path, here(from.dataDir)), made };
  await writeCheckpoint(to.storage, here(from.dataDir), right);
  return { sent: await contentOf(item), made: (await findCheckpoint(to))[0] ?? item };
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
