import path from 'node:path';
import { buildDir, lakeOf, warehouseFile } from '../../store/data-folder.js';
import { filesOf, nameInVersion } from '../../store/versions.js';
import { currentBuild } from '../../warehouse/builds/builds.js';
import { checkpointsIn } from '../../warehouse/duckdb/checkpoint.js';
import { kindOf, spoolOfPiece, type Item } from './kinds.js';
import type { Place } from './place.js';

/** Lists the data of a place, with the current build. */
export async function takeInventory(place: Place): Promise<Map<string, Item>> {
  const { storage, dataDir } = place;
  const name = dataDir === undefined ? null : currentBuild(dataDir);
  const build = name === null ? undefined : `${asKey(buildDir('', name))}/`;
  const items = new Map<string, Item>();
  for await (const { key, bytes } of storage.list('')) {
    const found = build !== undefined && key.startsWith(build) ? kindInBuild(key) : kindOf(key);
    if (found === undefined) continue;
    const [file, kind] = found === 'piece' ? [spoolOfPiece(key), 'spool' as const] : [key, found];
    const { keys, bytes: before } = items.get(file) ?? { keys: [], bytes: 0 };
    items.set(file, { path: file, kind, storage, keys: [...keys, key], bytes: before + bytes });
  }
  if (dataDir === undefined)
    for (const item of [...(await findCheckpoint(place)), ...(await listStoredBuild(place))])
      items.set(item.path, item);
  return items;
}

/** Finds the newest checkpoint of the warehouse in a bucket: one item, or none. */
export async function findCheckpoint({ storage }: Place): Promise<Item[]> {
  const checkpoints = checkpointsIn(storage);
  const current = (await checkpoints.find())?.current;
  if (current === undefined) return [];
  const { key, bytes } = (await checkpoints.manifestOf(current)).database;
  return [{ path: asKey(warehouseFile('')), kind: 'warehouse', storage, keys: [key], bytes }];
}

/** Lists the files of the current build in a bucket; none if nothing is published. */
export async function listStoredBuild({ builds }: Place): Promise<Item[]> {
  const current = await builds?.read();
  if (builds === undefined || current === undefined) return [];
  return filesOf(await builds.manifestOf(current)).flatMap(({ key, bytes }): Item[] => {
    const name = nameInVersion(key, builds.keys);
    const kind = kindInBuild(name);
    const folder = buildDir('', current.build);
    const file = asKey(path.join(kind === 'lake' ? lakeOf(folder) : folder, name));
    return kind === undefined ? [] : [{ path: file, kind, storage: builds.storage, keys: [key], bytes }];
  });
}

/** Returns the name of the build that readers of a place see; undefined if nothing is published. */
export async function currentBuildOf({ dataDir, builds }: Place): Promise<string | undefined> {
  if (dataDir !== undefined) return currentBuild(dataDir) ?? undefined;
  return (await builds?.read())?.build;
}

function kindInBuild(key: string): 'lake' | 'database' | undefined {
  if (key.endsWith('.parquet')) return 'lake';
  return key.endsWith('.duckdb') ? 'database' : undefined;
}

function asKey(file: string): string {
  return file.split(path.sep).join('/');
}
