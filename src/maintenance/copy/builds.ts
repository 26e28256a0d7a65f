import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { addTakenBuild, currentBuild, isTaken, listBuilds } from '../../warehouse/builds/builds.js';
import { numberOf, writeNumber } from '../../warehouse/builds/order.js';
import { showNewBuild } from '../../warehouse/builds/switch.js';
import { buildDir, fileOf, lakeOf } from '../../store/data-folder.js';
import { inParallel } from '../../base/in-parallel.js';
import { copyCurrentBuild, KEEP_SECONDS } from '../../warehouse/builds/copy-build.js';
import { numbersOf, readCurrent, readManifest, type StoredFile } from '../../warehouse/builds/manifest.js';
import { LocalFolder } from '../../store/local-folder.js';
import type { Content, Storage } from '../../store/storage.js';
import { AT_ONCE, type Compared, type Difference } from './compare.js';
import { hashKey } from './content.js';
import type { Place } from './place.js';

// Readers at the target may have the build before open.
const KEPT = { keep: 3, graceSeconds: 600 };

/** Returns the name of the build that readers of a place see; undefined if nothing is published. */
export async function currentBuildOf(place: Place): Promise<string | undefined> {
  if (place.dataDir !== undefined) return currentBuild(place.dataDir) ?? undefined;
  return place.published && (await readCurrent(place.published))?.current.build;
}

/**
 * Makes the current build of the source current in the target. A bucket gets the files of all tables. A folder gets
 * only the DuckDB file from a bucket; the next publication writes the lake.
 */
export async function copyBuild(from: Place, to: Place): Promise<void> {
  const build = await currentBuildOf(from);
  if (build === undefined) return;
  if (to.dataDir === undefined) {
    if (to.published === undefined || from.dataDir === undefined) return;
    await copyCurrentBuild(to.published, from.dataDir, { keepSeconds: KEEP_SECONDS, what: 'tidemark data copy' });
    return;
  }
  if (!listBuilds(to.dataDir).some(({ name }) => name === build)) await addBuild(from, to.dataDir, build);
  if (currentBuild(to.dataDir) !== build) await showNewBuild(to.dataDir, build, KEPT);
}

async function addBuild(from: Place, dataDir: string, build: string): Promise<void> {
  if (from.dataDir !== undefined) return addBuildOfFolder(from.dataDir, dataDir, build);
  const published = from.published;
  const found = published && (await readCurrent(published));
  if (published === undefined || found === undefined) return;
  const { database } = await readManifest(published, found.current);
  await addTakenBuild(
    dataDir,
    build,
    (file) => published.download(database.key, file, database),
    numbersOf(found.current),
  );
}

/** Copies all files of a build. The DuckDB file comes last: without it, the build is not listed. */
async function addBuildOfFolder(source: string, dataDir: string, build: string): Promise<void> {
  const theirs = buildDir(source, build);
  const ours = new LocalFolder(buildDir(dataDir, build));
  const database = path.basename(fileOf(theirs));
  const keys: string[] = [];
  for await (const { key } of new LocalFolder(theirs).list('')) if (key !== database) keys.push(key);
  await inParallel(keys, AT_ONCE, async (key) => {
    await ours.upload(key, path.join(theirs, key));
  });
  makeFolderSync(lakeOf(ours.name));
  writeNumber(dataDir, build, { publication: numberOf(source, build) });
  await ours.upload(database, fileOf(theirs));
}

/**
 * Reads the current build of the target completely. Compares its DuckDB file with the source, and all files in a bucket
 * with their manifest.
 */
export async function compareBuilds(from: Place, to: Place): Promise<Compared> {
  const build = await currentBuildOf(from);
  const compared: Compared = { files: 0, bytes: 0, differences: [] };
  if (build === undefined) return compared;
  const name = `published/builds/${build}`;
  if ((await currentBuildOf(to)) !== build) {
    const why: Difference['why'] = (await currentBuildOf(to)) === undefined ? 'missing' : 'different';
    return { ...compared, differences: [{ path: name, why }] };
  }
  const add = ({ bytes }: Content, why: Difference['why'] | undefined, file: string): void => {
    if (why !== undefined) compared.differences.push({ path: `${name}/${file}`, why });
    else {
      compared.files++;
      compared.bytes += bytes;
    }
  };
  const [source, target] = [await databaseOf(from, build), await databaseOf(to, build)];
  add(target, source.sha256 === target.sha256 ? undefined : 'different', 'market.duckdb');
  if (to.published !== undefined) {
    await compareTables(to.published, (content, file, isSame) => add(content, isSame ? undefined : 'damaged', file));
  } else if (from.dataDir !== undefined && to.dataDir !== undefined && !isTaken(to.dataDir, build)) {
    await compareLakes([buildDir(from.dataDir, build), buildDir(to.dataDir, build)], add);
  }
  return compared;
}

async function databaseOf(place: Place, build: string): Promise<Content> {
  if (place.dataDir !== undefined) return hashFile(fileOf(buildDir(place.dataDir, build)));
  const published = place.published;
  const found = published && (await readCurrent(published));
  if (published === undefined || found === undefined) return { bytes: 0, sha256: '' };
  const { database } = await readManifest(published, found.current);
  return hashKey(published, database.key, database.bytes);
}

async function compareTables(
  published: Storage,
  add: (content: Content, file: string, isSame: boolean) => void,
): Promise<void> {
  const found = await readCurrent(published);
  if (found === undefined) return;
  const { tables } = await readManifest(published, found.current);
  const files = Object.values(tables).flatMap((table): StoredFile[] => table.files);
  await inParallel(files, AT_ONCE, async ({ key, bytes, sha256 }) => {
    const content = await hashKey(published, key, bytes);
    add(content, key, content.sha256 === sha256 && content.bytes === bytes);
  });
}

async function compareLakes(
  [theirs, ours]: [string, string],
  add: (content: Content, why: Difference['why'] | undefined, file: string) => void,
): Promise<void> {
  for await (const { key } of new LocalFolder(theirs).list('lake')) {
    const [from, to] = [path.join(theirs, key), path.join(ours, key)];
    const source = await hashFile(from);
    if (!existsSync(to)) {
      add(source, 'missing', key);
      continue;
    }
    const target = await hashFile(to);
    add(target, source.sha256 === target.sha256 ? undefined : 'different', key);
  }
}

async function hashFile(file: string): Promise<Content> {
  return hashKey(new LocalFolder(path.dirname(file)), path.basename(file), statSync(file).size);
}
