import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { asDiskFull } from '../core/files.js';
import { buildsDir, currentLink } from './paths.js';

/** A published build: an immutable file and lake in a folder of their own, which readers see while the link points there. */
export interface Build {
  /** `20261120T020000123Z-<run>`: sorts by time. */
  name: string;
  /** ISO instant it was made at, by the clock of the run. */
  builtAt: string;
  /** Run it was made for. */
  run: string;
  /** Size of the file. */
  bytes: number;
  /** What readers see now. */
  current: boolean;
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(.*?)(?:\.\d+)?$/;
// A folder gets its name when it is whole; what a kill leaves is named so (the second one by older versions).
const UNFINISHED = '.new-';
const REMOVED = '.old-';
// Files and lakes that an older version published lie beside one another.
const OF_OLDER_VERSION = /^(?:market|lake)-/;

/** The folder of a build. */
export function buildDir(dataDir: string, name: string): string {
  return path.join(buildsDir(dataDir), name);
}

/** The DuckDB file in the folder of a build, named as the link that readers open. */
export function fileOf(build: string): string {
  return path.join(build, 'market.duckdb');
}

/** The lake in the folder of a build, named as its link. */
export function lakeOf(build: string): string {
  return path.join(build, 'lake');
}

/** Name of the build that a file, its links resolved, is the file of. */
export function nameOfBuild(file: string): string {
  return path.basename(path.dirname(file));
}

/**
 * Makes an empty folder for a new build, under a name that counts for nothing until `finishBuild`. What killed
 * publications left goes first: none can be under way, as only who holds the warehouse publishes.
 * @returns the folder, and the name it will have: never that of an existing build, which readers may be using
 * @throws TidemarkError `DiskFull`
 */
export function beginBuild(
  dataDir: string,
  { run, now }: { run: string; now: Date },
): { name: string; folder: string } {
  for (const entry of entriesOf(dataDir))
    if (entry.startsWith(UNFINISHED) || entry.startsWith(REMOVED))
      rmSync(buildDir(dataDir, entry), { recursive: true, force: true });
  const name = freeName(dataDir, { run, now });
  const folder = buildDir(dataDir, `${UNFINISHED}${name}`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw asDiskFull(error, folder);
  }
  return { name, folder };
}

/** Gives the folder of a new build, which is whole and on disk, its name: from now on it counts. */
export function finishBuild(dataDir: string, { name, folder }: { name: string; folder: string }): void {
  renameSync(folder, buildDir(dataDir, name));
}

function freeName(dataDir: string, { run, now }: { run: string; now: Date }): string {
  const name = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${run.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? name : `${name}.${attempt}`;
    if (!existsSync(buildDir(dataDir, candidate))) return candidate;
  }
}

/** All builds that are kept, newest first. */
export function listBuilds(dataDir: string): Build[] {
  const current = currentBuild(dataDir);
  return entriesOf(dataDir).flatMap((name) => {
    const parts = NAME.exec(name);
    if (parts === null) return [];
    const folder = buildDir(dataDir, name);
    const file = statSync(fileOf(folder), { throwIfNoEntry: false });
    if (file === undefined || !existsSync(lakeOf(folder))) return [];
    const [, year, month, day, hour, minute, second, ms, run = ''] = parts;
    const builtAt = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
    return [{ name, builtAt, run, bytes: file.size, current: name === current }];
  });
}

/** The lake of the newest build; null where there is none. */
export function newestLake(dataDir: string): string | null {
  const newest = listBuilds(dataDir)[0]?.name;
  return newest === undefined ? null : lakeOf(buildDir(dataDir, newest));
}

/** Name of the build that readers see; null before the first. */
export function currentBuild(dataDir: string): string | null {
  const target = targetOf(currentLink(dataDir));
  return target === null ? null : path.basename(target);
}

/** Files and lakes that an older version published, beside the builds. */
export function listOlderEntries(dataDir: string): string[] {
  return entriesOf(dataDir).filter((entry) => OF_OLDER_VERSION.test(entry));
}

/** Names of all there is beside one another in the folder of builds, last first. */
function entriesOf(dataDir: string): string[] {
  const folder = buildsDir(dataDir);
  return existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : [];
}

/** What a symlink points to; null where there is none. */
export function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
