import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { asDiskError } from '../../store/disk-errors.js';
import { makeFolderSync, tryReadJson } from '../../store/files.js';
import { buildDir, buildsDir, currentLink, fileOf, lakeOf } from '../../store/data-folder.js';
import { whileSwitching } from '../duckdb/locks.js';

/*
 * States of a build, and what changes them:
 * - new: `beginBuild` makes the folder `.new-<name>`, which no reader sees.
 * - new → made: the folder is complete and on disk, and `finishBuild` gives it its final name.
 * - new → removed: the publication fails. If its process was killed, the next `beginBuild` removes the folder.
 * - made → current: `showNewBuild` switches the links of the readers to the build.
 * - current → replaced: the links are switched to another build. Readers that have the replaced build open can still
 *   read it.
 * - replaced → current: `showBuild` switches the links back to the build.
 * - made or replaced → removed: more than `keep` builds exist, and the build was replaced at least `graceSeconds` ago.
 */

/**
 * A published build: a folder with an immutable DuckDB file and its lake. Readers see the build to which the link
 * `current` points.
 */
export interface Build {
  /** Name, such as `20261120T020000123Z-<run>`. A clock may have been wrong, so names say nothing about the order. */
  name: string;
  /** When the build was made, as an ISO instant of the run's clock. */
  builtAt: string;
  /** The run for which the build was made. */
  run: string;
  /** Size of the DuckDB file in bytes. */
  bytes: number;
  /** Whether readers see this build now. */
  current: boolean;
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(.*?)(?:\.\d+)?$/;
// A folder with this prefix is incomplete: it gets its final name when it is complete. A killed publication leaves such
// a folder.
const UNFINISHED = '.new-';
// A build that is being taken from the bucket. A killed process leaves such a folder.
const TAKING = '.taking-';

/** Content of `build.json` in the folder of a build. */
const About = z.object({
  /**
   * Number of the build: a later publication has a higher one. The clock of a machine may be wrong, so the names and
   * times of builds say nothing about their order.
   */
  publication: z.int().nonnegative(),
  /** Whether another machine published the build. Only its DuckDB file was taken from the bucket. */
  isTaken: z.boolean(),
});
type About = z.infer<typeof About>;

/** Returns the name of the build that contains a file. The path must not contain symlinks. */
export function nameOfBuild(file: string): string {
  return path.basename(path.dirname(file));
}

/**
 * Makes an empty folder for a new build. It has a temporary name, so no reader sees it before `finishBuild`. First
 * removes the folders that killed publications left. This is safe, because a publication needs the writer's lock, so no
 * other one is in progress.
 * @returns the folder, and its final name, which no existing build has
 * @throws TidemarkError `DiskFull`
 */
export function beginBuild(
  dataDir: string,
  { run, now }: { run: string; now: Date },
): { name: string; folder: string } {
  for (const entry of entriesOf(dataDir))
    if (entry.startsWith(UNFINISHED)) rmSync(buildDir(dataDir, entry), { recursive: true, force: true });
  const name = freeName(dataDir, { run, now });
  const folder = buildDir(dataDir, `${UNFINISHED}${name}`);
  try {
    makeFolderSync(folder);
    const numbers = listBuilds(dataDir).map((build) => numberOf(dataDir, build.name));
    writeAbout(folder, { publication: 1 + Math.max(0, ...numbers), isTaken: false });
  } catch (error) {
    throw asDiskError(error, folder);
  }
  return { name, folder };
}

/**
 * Gives a new build its final name. From then on, `listBuilds` lists the build. The folder must be complete and synced
 * to disk.
 */
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

/** Lists all existing builds, the one that was published last first. */
export function listBuilds(dataDir: string): Build[] {
  const current = currentBuild(dataDir);
  const found = entriesOf(dataDir).flatMap((name) => {
    if (!NAME.test(name)) return [];
    const folder = buildDir(dataDir, name);
    const file = statSync(fileOf(folder), { throwIfNoEntry: false });
    if (file === undefined || !existsSync(lakeOf(folder))) return [];
    const build = describeBuild(name, { bytes: file.size, current: name === current });
    return build === undefined ? [] : [{ build, ...readAbout(dataDir, name) }];
  });
  // Two machines may have given the same number: then the build in the bucket counts.
  const inOrder = found.toSorted((a, b) => b.publication - a.publication || Number(b.isTaken) - Number(a.isTaken));
  return inOrder.map(({ build }) => build);
}

/** Describes a build by its name. Undefined if this is no name of a build. */
export function describeBuild(name: string, rest: Pick<Build, 'bytes' | 'current'>): Build | undefined {
  const parts = NAME.exec(name);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, ms, run = ''] = parts;
  return { name, builtAt: `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`, run, ...rest };
}

/** Returns the folder of the build that this machine published last; null if there is none. Its lake can be reused. */
export function newestBuild(dataDir: string): string | null {
  const newest = listBuilds(dataDir).find(({ name }) => !isTaken(dataDir, name));
  return newest === undefined ? null : buildDir(dataDir, newest.name);
}

/**
 * Adds a build that another machine published, unless this machine has it. Several processes may call this together:
 * one takes the build, the others wait.
 * @param write writes the DuckDB file; its path is the argument
 * @param publication its number at the place from which it comes
 */
export async function addTakenBuild(
  dataDir: string,
  name: string,
  write: (file: string) => Promise<unknown>,
  publication: number,
): Promise<void> {
  const isHere = (): boolean => listBuilds(dataDir).some((build) => build.name === name);
  if (isHere()) return;
  await whileSwitching(dataDir, async (lock) => {
    if (isHere()) return;
    for (const entry of entriesOf(dataDir))
      if (entry.startsWith(TAKING)) rmSync(buildDir(dataDir, entry), { recursive: true, force: true });
    const folder = buildDir(dataDir, `${TAKING}${name}`);
    makeFolderSync(lakeOf(folder));
    await write(fileOf(folder));
    writeAbout(folder, { publication, isTaken: true });
    lock.rename(folder, buildDir(dataDir, name));
  });
}

/** Whether a build was published by another machine. Such a build has no lake here. */
export function isTaken(dataDir: string, name: string): boolean {
  return readAbout(dataDir, name).isTaken;
}

/** Returns the number of a build: a later publication has a higher one. 0 if it cannot be read. */
export function numberOf(dataDir: string, name: string): number {
  return readAbout(dataDir, name).publication;
}

/** Gives a build a higher number: the one that it has in the bucket. */
export function raiseNumber(dataDir: string, name: string, publication: number): void {
  const about = readAbout(dataDir, name);
  if (publication > about.publication) writeAbout(buildDir(dataDir, name), { ...about, publication });
}

function readAbout(dataDir: string, name: string): About {
  return tryReadJson(aboutFile(buildDir(dataDir, name)), About) ?? { publication: 0, isTaken: false };
}

/** Writes the file whole and synced: a build without it counts as the oldest one, made on this machine. */
function writeAbout(folder: string, about: About): void {
  const file = aboutFile(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(about)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

function aboutFile(folder: string): string {
  return path.join(folder, 'build.json');
}

/** Returns the name of the build that readers see; null before the first publication. */
export function currentBuild(dataDir: string): string | null {
  const target = targetOf(currentLink(dataDir));
  return target === null ? null : path.basename(target);
}

/** Returns the names of all entries in the folder of builds, in reverse alphabetical order. */
function entriesOf(dataDir: string): string[] {
  const folder = buildsDir(dataDir);
  return existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : [];
}

/** Returns the target of a symlink; null if there is no symlink. */
export function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
