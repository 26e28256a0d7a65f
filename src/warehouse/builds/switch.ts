import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import type { Lock } from '../../store/lock/lock.js';
import { currentBuild, listBuilds, targetOf } from './builds.js';
import { flipLink } from '../../store/links.js';
import { whileSwitching } from '../duckdb/locks.js';
import {
  buildDir,
  currentLink,
  fileOf,
  lakeOf,
  publishedDir,
  publishedFile,
  publishedLake,
  replacedFile,
} from '../../store/data-folder.js';

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
  const { [name]: _, ...replaced } = readReplaced(dataDir);
  // The build `from` is being replaced now. First delete the time at which it was replaced earlier. Otherwise, if this
  // process is killed before it writes the new time, the old time would remain.
  if (from !== null) delete replaced[from];
  writeReplaced(lock, dataDir, replaced);
  const current = currentLink(dataDir);
  await flipLink(lock, current, path.relative(publishedDir(dataDir), buildDir(dataDir, name)));
  // Create the links to the DuckDB file and the lake if they are missing. Correct them if a killed process left them
  // wrong.
  for (const link of [publishedFile(dataDir), publishedLake(dataDir)]) {
    const through = path.join(path.basename(current), path.basename(link));
    if (targetOf(link) !== through) await flipLink(lock, link, through);
  }
  if (from !== null && from !== name) writeReplaced(lock, dataDir, { ...replaced, [from]: Date.now() });
  checkSwitched(dataDir, name);
  lock.assertHeld();
}

/**
 * Follows the links as a reader does. Checks that they lead to the build.
 * @throws TidemarkError `Internal` when they do not
 */
function checkSwitched(dataDir: string, name: string): void {
  const folder = buildDir(dataDir, name);
  try {
    if (
      realpathSync(publishedFile(dataDir)) === realpathSync(fileOf(folder)) &&
      realpathSync(publishedLake(dataDir)) === realpathSync(lakeOf(folder))
    )
      return;
    throw new Error(`they point to ${realpathSync(publishedFile(dataDir))}`);
  } catch (error) {
    throw new TidemarkError(
      'Internal',
      `The links in ${publishedDir(dataDir)} do not point to ${name}: ${errorMessage(error)}.`,
      {
        todo: 'Perhaps another program changes this folder: stop it. Then run `tidemark publish`.',
        retryable: true,
        cause: error,
      },
    );
  }
}

function prune(lock: Lock, dataDir: string, { keep, graceSeconds }: Pruning): void {
  const current = currentBuild(dataDir);
  if (current === null) return;
  const now = Date.now();
  const known = readReplaced(dataDir);
  // The time may be unknown (after a kill) or in the future. Then assume that the build was replaced now.
  const replacedAt = (name: string): number => Math.min(known[name] ?? now, now);
  const others = listBuilds(dataDir).flatMap(({ name }) => (name === current ? [] : [name]));
  const isDue = (name: string): boolean => now - replacedAt(name) >= graceSeconds * 1_000;
  const removed = new Set(others.slice(Math.max(keep, 1) - 1).filter(isDue));
  const kept = others.filter((name) => !removed.has(name));
  writeReplaced(lock, dataDir, Object.fromEntries(kept.map((name) => [name, replacedAt(name)])));
  for (const name of removed) lock.remove(buildDir(dataDir, name));
}

/** For each old build, the time at which it was replaced, in milliseconds since 1970. */
const Replaced = z.record(z.string(), z.number());

function readReplaced(dataDir: string): Record<string, number> {
  const file = replacedFile(dataDir);
  if (!existsSync(file)) return {};
  try {
    return Replaced.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // A power failure may leave the file incomplete.
    return {};
  }
}

function writeReplaced(lock: Lock, dataDir: string, replaced: Record<string, number>): void {
  lock.put(replacedFile(dataDir), (temporary) => writeFileSync(temporary, `${JSON.stringify(replaced)}\n`));
}
