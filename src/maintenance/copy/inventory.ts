import { warehouseFile } from '../../store/data-folder.js';
import { readCheckpoint } from '../../warehouse/duckdb/checkpoint.js';
import { kindOf, PREFIXES, spoolOfPiece, type Kind } from './kinds.js';
import { IDENTITY, type Place } from './place.js';

/** A file of the data, under the path that it has in a data folder. A spool in a bucket has several keys. */
export interface Item {
  path: string;
  kind: Exclude<Kind, 'piece'> | 'warehouse' | 'identity';
  /** Keys in the storage of the place, sorted. */
  keys: string[];
  bytes: number;
}

/** Path of the warehouse in a data folder, as a key. */
export const WAREHOUSE = warehouseFile('').split('\\').join('/');

/** Lists the data of a place, but not its published builds. */
export async function takeInventory(place: Place): Promise<Map<string, Item>> {
  const { storage } = place;
  const items = new Map<string, Item>();
  const add = (item: Item): void => {
    const known = items.get(item.path);
    if (known === undefined) items.set(item.path, item);
    else items.set(item.path, { ...known, keys: [...known.keys, ...item.keys], bytes: known.bytes + item.bytes });
  };
  for (const prefix of PREFIXES) {
    for await (const { key, bytes } of storage.list(prefix)) {
      const kind = kindOf(key);
      if (kind === 'piece') add({ path: spoolOfPiece(key), kind: 'spool', keys: [key], bytes });
      // An empty spool holds nothing, and has no piece in a bucket.
      else if (kind !== undefined && !(kind === 'spool' && bytes === 0)) add({ path: key, kind, keys: [key], bytes });
    }
  }
  for (const item of [await findWarehouse(place), await findFile(place, IDENTITY, 'identity')])
    if (item !== undefined) add(item);
  return items;
}

async function findWarehouse(place: Place): Promise<Item | undefined> {
  if (place.dataDir !== undefined) return findFile(place, WAREHOUSE, 'warehouse');
  const checkpoint = await readCheckpoint(place.storage);
  return checkpoint && { path: WAREHOUSE, kind: 'warehouse', keys: [checkpoint.key], bytes: checkpoint.bytes };
}

async function findFile({ storage }: Place, path: string, kind: Item['kind']): Promise<Item | undefined> {
  for await (const { key, bytes } of storage.list(path)) if (key === path) return { path, kind, keys: [key], bytes };
  return undefined;
}
