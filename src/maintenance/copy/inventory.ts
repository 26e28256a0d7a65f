import path from 'node:path';
import { buildDir, fileOf, lakeOf, warehouseFile } from '../../store/data-folder.js';
import type { Storage } from '../../store/storage.js';
import { filesOf, nameInVersion } from '../../store/versions.js';
import { currentBuild } from '../../warehouse/builds/builds.js';
import { buildsIn } from '../../warehouse/builds/manifest.js';
import { checkpointsIn } from '../../warehouse/duckdb/checkpoint.js';
import { contentOfLines, readLines } from './content.js';
import { kindOf, PREFIXES, spoolOfPiece, type Item } from './kinds.js';
import { IDENTITY, type Place } from './place.js';

/** Path of the warehouse in a data folder, as a key. */
export const WAREHOUSE = asKey(warehouseFile(''));

/** Lists the data of a place, with the current build. */
export async function takeInventory(place: Place): Promise<Map<string, Item>> {
  const { storage } = place;
  const items = new Map<string, Item>();
  for (const prefix of PREFIXES) {
    for await (const { key, bytes } of storage.list(prefix)) {
      const kind = kindOf(key);
      if (kind === undefined) continue;
      const name = kind === 'piece' ? spoolOfPiece(key) : key;
      const keys = [...(items.get(name)?.keys ?? []), key];
      items.set(name, { path: name, kind: kind === 'piece' ? 'spool' : kind, storage, keys, bytes });
    }
  }
  for (const item of [...items.values()].filter(({ kind }) => kind === 'spool')) {
    const content = contentOfLines(await readLines(item));
    // A spool without a complete line holds nothing.
    if (content.bytes === 0) items.delete(item.path);
    else items.set(item.path, { ...item, bytes: content.bytes, content });
  }
  const others = [await findWarehouse(place), await findFile(place, IDENTITY, 'identity')];
  for (const item of [...others, ...(await listBuild(place))]) if (item !== undefined) items.set(item.path, item);
  return items;
}

/** Finds the warehouse of a folder, or the newest checkpoint of a bucket. */
export async function findWarehouse(place: Place): Promise<Item | undefined> {
  const { storage } = place;
  if (place.dataDir !== undefined) return findFile(place, WAREHOUSE, 'warehouse');
  const checkpoints = checkpointsIn(storage);
  const current = (await checkpoints.find())?.current;
  if (current === undefined) return undefined;
  const { key, bytes } = (await checkpoints.manifestOf(current)).database;
  return { path: WAREHOUSE, kind: 'warehouse', storage, keys: [key], bytes };
}

/** Lists the files of the current build; none if nothing is published. */
export async function listBuild(place: Place): Promise<Item[]> {
  const { storage, dataDir, published } = place;
  const build = await currentBuildOf(place);
  if (build === undefined) return [];
  const folder = asKey(buildDir('', build));
  const items: Item[] = [];
  const add = (name: string, of: Storage, key: string, bytes: number): void => {
    const isLake = name.endsWith('.parquet');
    if (!isLake && name !== fileOf(folder)) return;
    items.push({ path: name, kind: isLake ? 'lake' : 'database', storage: of, keys: [key], bytes });
  };
  if (dataDir !== undefined) {
    for await (const { key, bytes } of storage.list(`${folder}/`)) add(key, storage, key, bytes);
  } else if (published !== undefined) {
    const builds = buildsIn(published);
    const current = await builds.read();
    if (current === undefined) return [];
    for (const { key, bytes } of filesOf(await builds.manifestOf(current))) {
      const name = nameInVersion(key, builds.keys);
      add(path.posix.join(name.endsWith('.parquet') ? lakeOf(folder) : folder, name), published, key, bytes);
    }
  }
  return items;
}

/** Returns the name of the build that readers of a place see; undefined if nothing is published. */
export async function currentBuildOf({ dataDir, published }: Place): Promise<string | undefined> {
  if (dataDir !== undefined) return currentBuild(dataDir) ?? undefined;
  return published && (await buildsIn(published).read())?.build;
}

async function findFile({ storage }: Place, key: string, kind: Item['kind']): Promise<Item | undefined> {
  for await (const found of storage.list(key))
    if (found.key === key) return { path: key, kind, storage, keys: [key], bytes: found.bytes };
  return undefined;
}

function asKey(file: string): string {
  return file.split(path.sep).join('/');
}
