import { statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../../base/errors.js';
import type { Lock } from '../../store/lock/lock.js';
import { currentBuild, listBuilds, targetOf } from './builds.js';
import { syncFolder } from '../../store/files.js';
import { whileSwitching } from '../duckdb/locks.js';
import { buildDir, currentLink, publishedDir, publishedFile, publishedLake } from '../../store/data-folder.js';

/** Callers pass this in place of a name. It means: the build before the current one. */
export const PREVIOUS = 'PREVIOUS';

/** Says which old builds to keep. */
export interface Pruning {
  /** Number of builds to keep, including the current one. */
  keep: number;
  /** How long to keep a build after it was replaced, in seconds. */
  graceSeconds: number;
}

/**
 * Switches the links of the readers to another build. Readers that have a build open can still read it.
 * @param wanted name of a build, or `PREVIOUS`
 * @param onWait called with the holder of the lock while another publication is in progress
 * @returns the name of the build
 * @throws TidemarkError `InvalidInput` when there is no such build
 */
export async function showBuild(dataDir: string, wanted: string, onWait?: (holder: string) => void): Promise<string> {
  return whileSwitching(
    dataDir,
    async (lock) => {
      const builds = listBuilds(dataDir);
      const name = wanted === PREVIOUS ? builds[builds.findIndex(({ current }) => current) + 1]?.name : wanted;
      if (name === undefined) {
        throw new TidemarkError('InvalidInput', 'There is no build before the current one.', {
          todo: '`tidemark publish --list` lists the builds; `publish.keep` in tidemark.yaml sets how many are kept.',
        });
      }
      await switchTo(lock, dataDir, name);
      return name;
    },
    onWait,
  );
}

/** Switches the links of the readers to a new build, and removes old builds. */
export async function showNewBuild(dataDir: string, name: string, pruning: Pruning): Promise<void> {
  await whileSwitching(dataDir, async (lock) => {
    await switchTo(lock, dataDir, name);
    prune(lock, dataDir, pruning);
  });
}

/**
 * Removes all but the newest `keep` builds. A reader that has a removed file open can still read it. Always keeps the
 * current build. Also keeps a build that was replaced less than `graceSeconds` ago: a reader may have resolved the link
 * to this build, but not opened its file yet.
 */
export async function removeOldBuilds(dataDir: string, pruning: Pruning): Promise<void> {
  await whileSwitching(dataDir, async (lock) => prune(lock, dataDir, pruning));
}

async function switchTo(lock: Lock, dataDir: string, name: string): Promise<void> {
  const known = listBuilds(dataDir).map((build) => build.name);
  if (!known.includes(name)) {
    throw new TidemarkError('InvalidInput', `There is no build ${name}.`, {
      todo:
        known.length > 0 ? `Kept builds: ${known.join(', ')}.` : 'No build was published yet: run `tidemark snapshot`.',
    });
  }
  const from = currentBuild(dataDir);
  // Also before the switch: a process that is killed in between must leave the build for the grace time.
  if (from !== null && known.includes(from)) noteReplaced(dataDir, from);
  const current = currentLink(dataDir);
  await flipLink(lock, current, path.relative(publishedDir(dataDir), buildDir(dataDir, name)));
  // Create the links to the DuckDB file and the lake if they are missing. Correct them if a killed process left them
  // wrong.
  for (const link of [publishedFile(dataDir), publishedLake(dataDir)]) {
    const through = path.join(path.basename(current), path.basename(link));
    if (targetOf(link) !== through) await flipLink(lock, link, through);
  }
  if (from !== null && known.includes(from)) noteReplaced(dataDir, from);
  lock.assertHeld();
}

/**
 * Points a symlink at another target in one step: a reader sees either the old target or the new one. The file itself
 * must not be replaced, because DuckDB could apply the old file's write-ahead log to the new file.
 * @throws LockLostError when the lock was lost; the link is unchanged
 */
async function flipLink(lock: Lock, link: string, target: string): Promise<void> {
  lock.put(link, (temporary) => symlinkSync(target, temporary));
  await syncFolder(path.dirname(link));
}

function prune(lock: Lock, dataDir: string, { keep, graceSeconds }: Pruning): void {
  const current = currentBuild(dataDir);
  if (current === null) return;
  const others = listBuilds(dataDir).flatMap(({ name }) => (name === current ? [] : [name]));
  for (const name of others.slice(Math.max(keep, 1) - 1)) {
    const sinceMs = Date.now() - statSync(buildDir(dataDir, name)).mtimeMs;
    // A time in the future comes from a wrong clock. Such a build counts as replaced now.
    if (sinceMs < 0) noteReplaced(dataDir, name);
    if (Math.max(0, sinceMs) >= graceSeconds * 1_000) lock.remove(buildDir(dataDir, name));
  }
}

/** Makes the time of a build's folder the time at which readers were switched to another build. */
function noteReplaced(dataDir: string, name: string): void {
  const now = new Date();
  utimesSync(buildDir(dataDir, name), now, now);
}
