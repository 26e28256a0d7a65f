import { makeFolderSync } from '../../store/files.js';
import { currentBuild, numberOf, raiseNumber } from '../../warehouse/builds/builds.js';
import { showNewBuild } from '../../warehouse/builds/switch.js';
import { buildDir, lakeOf } from '../../store/data-folder.js';
import { copyCurrentBuild, KEEP_SECONDS } from '../../warehouse/builds/copy-build.js';
import { readLakeIndex, writeLakeIndex, type LakeIndex } from '../../warehouse/builds/lake-index.js';
import { mustReadCurrent } from '../../warehouse/builds/manifest.js';
import { nameInVersion } from '../../store/versions.js';
import { currentBuildOf } from './inventory.js';
import type { Place } from './place.js';

// Readers at the target may have the build before open.
const KEPT = { keep: 3, graceSeconds: 600 };

/** Makes the current build of a folder current in a bucket, with all files. Does nothing if the target is a folder. */
export async function copyBuild(from: Place, to: Place): Promise<void> {
  if (to.builds === undefined || from.dataDir === undefined || currentBuild(from.dataDir) === null) return;
  await copyCurrentBuild(to.builds.storage, from.dataDir, { keepSeconds: KEEP_SECONDS, what: 'tidemark data copy' });
}

/** Makes a build current in a target folder that has all its files. Does nothing if the target is a bucket. */
export async function showBuild(from: Place, { dataDir }: Place): Promise<void> {
  const build = await currentBuildOf(from);
  if (build === undefined || dataDir === undefined) return;
  const lake = lakeOf(buildDir(dataDir, build));
  const { publication, index } = await readAbout(from, build);
  makeFolderSync(lake);
  if (index !== undefined) await writeLakeIndex(lake, index);
  raiseNumber(dataDir, build, publication);
  if (currentBuild(dataDir) !== build) await showNewBuild(dataDir, build, KEPT);
}

/** Reads the number of a build, and the index of its lake. */
async function readAbout(
  { dataDir, builds }: Place,
  build: string,
): Promise<{ publication: number; index?: LakeIndex | undefined }> {
  if (dataDir !== undefined)
    return { publication: numberOf(dataDir, build), index: readLakeIndex(lakeOf(buildDir(dataDir, build))) };
  if (builds === undefined) return { publication: 0 };
  const current = await mustReadCurrent(builds);
  const { tables } = await builds.manifestOf(current);
  const lakeTables = Object.entries(tables).map(([name, { columns, files }]) => {
    const inLake = files.map(({ key, rows, bytes }) => ({ file: nameInVersion(key, builds.keys), rows, bytes }));
    return [name, { columns, files: inLake }] as const;
  });
  return {
    publication: current.publication,
    index: { format: 2, rowsReadAt: '', tables: Object.fromEntries(lakeTables) },
  };
}
