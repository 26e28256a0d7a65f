import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { asDiskFull } from '../core/files.js';
import { buildDir, buildsDir, currentLink, fileOf, lakeOf } from '../core/data-folder.js';

/*
 * States of a build and transitions:
 * - new: a folder `.new-<name>` that no reader sees. `beginBuild` makes it.
 * - new → made: the folder is complete and on disk, and `finishBuild` gives the folder its final name.
 * - new → removed: the publication fails. After a kill, the next `beginBuild` removes the folder.
 * - made → current: `showNewBuild` points readers at the build.
 * - current → replaced: readers are pointed at another build. Readers that have the replaced build open keep reading
 *   it.
 * - replaced → current: `showBuild` points readers at the old build again.
 * - made or replaced → removed: more than `keep` builds exist, and readers left it `graceSeconds` ago or more.
 */

/**
 * A published build: one folder with an immutable file and its lake. Readers see the build to which the link points.
 */
export interface Build {
  /** `20261120T020000123Z-<run>`; names sort by time. */
  name: string;
  /** ISO time at which the build was made, by the clock of the run. */
  builtAt: string;
  /** Run for which the build was made. */
  run: string;
  /** Size of the DuckDB file in bytes. */
  bytes: number;
  /** True when readers see this build now. */
  current: boolean;
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(.*?)(?:\.\d+)?$/;
// A folder gets its final name when it is complete. A killed publication leaves a folder with one of these prefixes
// (`.old-` comes from older versions of Tidemark).
const UNFINISHED = '.new-';
const REMOVED = '.old-';
// Older versions published files and lakes directly into the folder of builds.
const OF_OLDER_VERSION = /^(?:market|lake)-/;

/** Name of the build that contains a file. Expects a path without symlinks. */
export function nameOfBuild(file: string): string {
  return path.basename(path.dirname(file));
}

/**
 * Makes an empty folder for a new build, under a temporary name that no reader sees until `finishBuild`. First removes
 * the folders that killed publications left: only one publication can be in progress, as each needs the writer's lock.
 * @returns the folder, and its final name: never the name of an existing build, which readers may be using
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

/** Gives a new build its final name, which makes it visible. The folder must be complete and synced to disk. */
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

/** Lists all builds that are kept, newest first. */
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

/** The lake of the newest build; null if there is no build. */
export function newestLake(dataDir: string): string | null {
  const newest = listBuilds(dataDir)[0]?.name;
  return newest === undefined ? null : lakeOf(buildDir(dataDir, newest));
}

/** Name of the build that readers see; null before the first publication. */
export function currentBuild(dataDir: string): string | null {
  const target = targetOf(currentLink(dataDir));
  return target === null ? null : path.basename(target);
}

/** Files and lakes that an older version of Tidemark published, next to the builds. */
export function listOlderEntries(dataDir: string): string[] {
  return entriesOf(dataDir).filter((entry) => OF_OLDER_VERSION.test(entry));
}

/** Names of all entries in the folder of builds, in reverse alphabetical order. */
function entriesOf(dataDir: string): string[] {
  const folder = buildsDir(dataDir);
  return existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : [];
}

/** Target of a symlink; null if there is no symlink. */
export function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
