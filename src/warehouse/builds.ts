import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../core/errors.js';
import { flipLink } from './links.js';
import { buildsDir, publishedDir, publishedFile } from './paths.js';

/** A published build: an immutable file and lake, which readers see while the links point at them. */
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

export function buildFile(dataDir: string, name: string): string {
  return path.join(buildsDir(dataDir), `market-${name}.duckdb`);
}

export function buildLake(dataDir: string, name: string): string {
  return path.join(buildsDir(dataDir), `lake-${name}`);
}

/** A name for a new build; never that of an existing one, which readers may be using. */
export function nameBuild(dataDir: string, { run, now }: { run: string; now: Date }): string {
  const name = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${run.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? name : `${name}.${attempt}`;
    if (!existsSync(buildFile(dataDir, candidate)) && !existsSync(buildLake(dataDir, candidate))) return candidate;
  }
}

/** All builds that are kept, newest first. */
export function listBuilds(dataDir: string): Build[] {
  const current = currentBuild(dataDir);
  return buildNames(dataDir).flatMap((name) => {
    const parts = NAME.exec(name);
    const file = statSync(buildFile(dataDir, name), { throwIfNoEntry: false });
    if (parts === null || file === undefined) return [];
    const [, year, month, day, hour, minute, second, ms, run = ''] = parts;
    const builtAt = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
    return [{ name, builtAt, run, bytes: file.size, current: name === current }];
  });
}

/** Name of the build that readers see; null before the first. */
export function currentBuild(dataDir: string): string | null {
  try {
    return /market-(.*)\.duckdb$/.exec(readlinkSync(publishedFile(dataDir)))?.[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * Points readers at a build: the newest one made, or one to go back to. Who has another one open keeps reading it.
 * @throws TidemarkError `InvalidInput` when there is no such build
 */
export async function showBuild(dataDir: string, name: string): Promise<void> {
  const [file, lake] = [buildFile(dataDir, name), buildLake(dataDir, name)];
  if (!existsSync(file)) {
    const known = listBuilds(dataDir).map((build) => build.name);
    throw new TidemarkError('InvalidInput', `There is no build ${name}.`, {
      todo:
        known.length > 0 ? `There are: ${known.join(', ')}.` : 'Nothing was published yet: run `tidemark snapshot`.',
    });
  }
  await flipLink(publishedFile(dataDir), path.join('builds', path.basename(file)));
  if (existsSync(lake))
    await flipLink(path.join(publishedDir(dataDir), 'lake'), path.join('builds', path.basename(lake)));
}

/**
 * Removes all but the newest builds. Readers that hold a removed file open keep it. The one that readers see stays, and one
 * that was replaced less than `graceSeconds` ago: a reader may have followed the link and not opened it yet.
 */
export function removeOldBuilds(dataDir: string, { keep, graceSeconds }: { keep: number; graceSeconds: number }): void {
  const current = currentBuild(dataDir);
  const older = buildNames(dataDir).filter((name) => name !== current);
  const newestFirst = [...(current === null ? [] : [current]), ...older];
  for (const [index, name] of newestFirst.entries()) {
    const newer = newestFirst[index - 1];
    if (index < Math.max(keep, 1) || (newer !== undefined && madeWithin(buildFile(dataDir, newer), graceSeconds)))
      continue;
    for (const entry of [buildFile(dataDir, name), `${buildFile(dataDir, name)}.wal`, buildLake(dataDir, name)])
      rmSync(entry, { recursive: true, force: true });
  }
}

function buildNames(dataDir: string): string[] {
  const folder = buildsDir(dataDir);
  const found = (existsSync(folder) ? readdirSync(folder) : []).flatMap(
    (entry) => /^(?:market|lake)-(.*?)(?:\.duckdb(?:\.wal)?)?$/.exec(entry)?.[1] ?? [],
  );
  return [...new Set(found)].toSorted().toReversed();
}

function madeWithin(file: string, seconds: number): boolean {
  const made = statSync(file, { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs < seconds * 1_000;
}
