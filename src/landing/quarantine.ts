import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LandingStream } from '../../schemas/streams/landing-streams.js';
import { landingDir } from '../store/data-folder.js';
import { makeFolder, namesIn } from '../store/files.js';
import { readFolder, tryManifest, type LandedPart } from './manifest.js';
import { countRows } from './parquet.js';
import { manifestName, manifestsDir, quarantineDir, runFolders } from './paths.js';
import { pullManifests } from './pull.js';
import type { Data } from '../store/data.js';

/*
 * The quarantine of a run's folder holds parts that no step reads: the manifest, and the file if it is not missing.
 * Nothing is deleted, so a part can return when its files are sound again.
 */

/** Moves a part and its manifest into quarantine. If this is interrupted, the next call continues. */
export async function quarantinePart(data: Data, { file, part }: LandedPart): Promise<void> {
  const manifest = path.join(manifestsDir(path.dirname(file)), manifestName(part));
  await quarantineManifest(data, { manifest, files: [file] });
}

/** A manifest that cannot be read, with the files that may be its part. */
export interface LostManifest {
  manifest: string;
  stream: LandingStream;
  run: string;
  date: string;
  files: string[];
  /** Its number of rows, by the footer, if exactly one file may be its part and has a sound footer. */
  rows: number | null;
}

/** Reads what a damaged manifest belongs to, from its path and from the files beside it. */
export async function readLostManifest(data: Data, manifest: string): Promise<LostManifest> {
  const { dataDir } = data;
  const folder = path.dirname(path.dirname(manifest));
  const [stream, date, run] = path.relative(landingDir(dataDir), folder).split(path.sep) as [string, string, string];
  const isPart = (file: string): boolean =>
    file.endsWith('.parquet') && manifestName(path.basename(file)) === path.basename(manifest);
  const there = (await data.listGiven(folder)).filter((one) => path.dirname(one.file) === folder);
  for (const { file } of there) if (isPart(file)) await data.take(file);
  const files = namesIn(folder, 'part-')
    .map((name) => path.join(folder, name))
    .filter(isPart);
  return {
    manifest,
    stream: LandingStream.parse(stream),
    run: run.slice('run='.length),
    date: date.slice('date='.length),
    files,
    rows: files.length === 1 ? tryCount(files[0]!) : null,
  };
}

/** Moves a manifest and the files that may be its part into quarantine. */
export async function quarantineManifest(
  data: Data,
  { manifest, files }: Pick<LostManifest, 'manifest' | 'files'>,
): Promise<void> {
  const place = quarantineDir(path.dirname(path.dirname(manifest)));
  const placeOf = (file: string): string => path.join(place, path.basename(file));
  await makeFolder(place);
  await copyFile(manifest, placeOf(manifest));
  for (const file of files) if (existsSync(file)) await rename(file, placeOf(file));
  const all = [manifest, ...files];
  for (const file of all) if (existsSync(placeOf(file))) await data.give(placeOf(file));
  for (const file of all) await data.remove(file);
}

/**
 * Lists the parts in quarantine. `file` is where the part would return to; `kept` is its file in quarantine, or the file
 * at its old place if somebody has restored it there; undefined if there is none. Leaves out parts whose manifest is
 * damaged, unless somebody has restored it at its old place.
 */
export async function listQuarantine(data: Data): Promise<(LandedPart & { kept: string | undefined })[]> {
  const { dataDir } = data;
  await pullManifests(data);
  await takeQuarantine(data);
  const found: (LandedPart & { kept: string | undefined })[] = [];
  for (const stream of LandingStream.options) {
    for (const { folder } of runFolders(dataDir, stream)) {
      const place = quarantineDir(folder);
      for (const name of namesIn(place, 'part-').filter((one) => one.endsWith('.json'))) {
        const manifest = tryManifest(path.join(place, name)) ?? tryManifest(path.join(manifestsDir(folder), name));
        if (manifest === undefined) continue;
        const file = path.join(folder, manifest.part);
        await data.take(file);
        const kept = [file, path.join(place, manifest.part)].find((one) => existsSync(one));
        found.push({ ...manifest, file, kept });
      }
    }
  }
  return found;
}

/** What quarantine holds of some streams. The paths of parts lead into quarantine. */
export interface Quarantined {
  /** The parts whose manifests can be read. Nobody has checked their files. */
  parts: LandedPart[];
  /** All files but manifests. */
  files: string[];
}

/** Reads what quarantine holds of some streams. */
export async function readQuarantine(data: Data, streams: readonly LandingStream[]): Promise<Quarantined> {
  const { dataDir } = data;
  await takeQuarantine(data);
  const places = streams.flatMap((stream) =>
    [...runFolders(dataDir, stream)].map(({ folder }) => quarantineDir(folder)),
  );
  return {
    parts: places.flatMap((place) => readFolder(place, () => undefined)),
    files: places.flatMap((place) =>
      namesIn(place)
        .filter((name) => !name.endsWith('.json'))
        .map((name) => path.join(place, name)),
    ),
  };
}

/**
 * Moves a part with a sound file back: first its file, then its manifest, which makes it valid. Then removes what
 * quarantine still has of it: its manifest, and the damaged file if another one was restored at its old place.
 * @param replace called before the part is valid; returns true if it has landed another part in its place
 */
export async function returnPart(
  data: Data,
  part: LandedPart & { kept: string },
  replace: (part: LandedPart) => Promise<boolean>,
): Promise<void> {
  const folder = path.dirname(part.file);
  const place = quarantineDir(folder);
  const name = manifestName(part.part);
  const manifest = path.join(manifestsDir(folder), name);
  if (part.kept !== part.file) await rename(part.kept, part.file);
  if (await replace(part)) {
    await data.remove(part.file);
  } else {
    await data.give(part.file);
    await makeFolder(manifestsDir(folder));
    if (tryManifest(manifest) === undefined) await copyFile(path.join(place, name), manifest);
    await data.give(manifest);
  }
  for (const file of [path.join(place, part.part), path.join(place, name)]) await data.remove(file);
}

/** Takes what is in quarantine in the bucket. */
async function takeQuarantine(data: Data): Promise<void> {
  if (!data.isShared()) return;
  const root = landingDir(data.dataDir);
  const there = (await data.listGiven(root)).filter(({ file }) => isInQuarantine(file));
  await data.all(there, async ({ file }) => data.take(file));
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
  for (const file of names.map((one) => path.join(root, one)).filter(isInQuarantine))
    if (!there.some((one) => one.file === file)) await rm(file, { force: true });
}

function isInQuarantine(file: string): boolean {
  return file.includes(`${path.sep}_quarantine${path.sep}`);
}

function tryCount(file: string): number | null {
  try {
    return countRows(readFileSync(file));
  } catch {
    return null;
  }
}
