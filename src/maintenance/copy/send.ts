import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomic } from '../../store/files.js';
import { removeLeftovers } from '../../store/database-files.js';
import { encodeFrame, headOf, parseFrames, type Frame } from '../../landing/index.js';
import { Lease } from '../../store/lease.js';
import type { Content } from '../../store/storage.js';
import { writeCheckpoint } from '../../warehouse/duckdb/checkpoint.js';
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
  const mayChange = route.rights.length > 0 && (there === undefined || !isFixed(item.kind));
  if (item.kind === 'spool') return syncSpool(route, item, { there, mayChange });
  if (there?.bytes === item.bytes && isEqual(await digest(item), await digest(there))) return 'same';
  if (!mayChange) return there === undefined ? 'missing' : 'different';
  const { sent, made } = await send(route, item);
  if (!isEqual(sent, await digest(made))) return 'different';
  return there === undefined ? 'sent' : 'replaced';
}

/** Reads a file of the data completely. Returns its size and hash. */
async function digest({ path: name, storage, keys: [key = name] }: Item): Promise<Content> {
  return storage.digest(key);
}

function isEqual(left: Content, right: Content): boolean {
  return left.sha256 === right.sha256;
}

/** Returns the content that was sent, and the file at the target. */
async function send({ from, to, rights: [, right] }: Route, item: Item): Promise<{ sent: Content; made: Item }> {
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
  return { sent: await digest(item), made: (await findCheckpoint(to))[0] ?? item };
}

/** Adds the frames that the target lacks: to a bucket as a new piece, to a folder with the frames that are there. */
async function syncSpool(
  { to }: Route,
  item: Item,
  { there, mayChange }: { there: Item | undefined; mayChange: boolean },
): Promise<Outcome> {
  const made = { ...item, storage: to.storage, keys: there?.keys ?? [] };
  const [frames, known] = [await readFrames(item), await readFrames(made)];
  const missing = [...frames].filter(([head]) => !known.has(head));
  if (known.size > frames.size - missing.length) return 'different';
  if (missing.length === 0) return 'same';
  if (!mayChange) return there === undefined ? 'missing' : 'different';
  if (to.dataDir === undefined) {
    const piece = `${item.path}.pieces/${Date.now()}-${randomUUID().slice(0, 8)}-000000.spool`;
    await to.storage.create(piece, encode(missing));
    made.keys = [...made.keys, piece];
  } else {
    made.keys = [item.path];
    await writeFileAtomic(path.join(to.dataDir, ...item.path.split('/')), encode([...known, ...missing]));
  }
  if ((await readFrames(made)).size !== frames.size) return 'different';
  return there === undefined ? 'sent' : 'replaced';
}

/** Reads the frames of a spool by their heads. Several machines may have given the same frame to a bucket. */
async function readFrames({ storage, keys }: Item): Promise<Map<string, Frame>> {
  const frames = new Map<string, Frame>();
  for (const key of keys) {
    const bytes = (await storage.read(key))?.body ?? Buffer.alloc(0);
    for (const frame of parseFrames(bytes)) frames.set(headOf(frame), frame);
  }
  return frames;
}

function encode(frames: readonly (readonly [head: string, frame: Frame])[]): Buffer {
  return Buffer.concat(frames.flatMap(([, frame]) => encodeFrame(frame)));
}
