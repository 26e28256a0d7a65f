import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { landingDir, unprovenFile } from '../../store/data-folder.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { chunkOfPiece, refuseOld, pullManifests, pullParts, readManifests } from '../../landing/index.js';
import { PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { isStorageError } from '../../store/errors.js';
import { removeOldCheckpoints } from '../../warehouse/duckdb/checkpoint.js';
import type { Data, Listed, SharedData } from '../../store/data.js';
import { searchFile, type Search, type Searched } from './search.js';
import { sha256OfFile } from '../../base/hash.js';

/*
 * Forgetting with the data in a bucket. This machine takes every file that the bucket has, so that the work and the
 * search see all of them. Landed parts are replaced here and in the bucket at once. At the end, this machine gives all
 * other files that it has changed or removed.
 */

// Number of files of the bucket that are taken for the search at the same time.
const AT_ONCE = 16;
// Files of runs, which steps of runs replace. They hold no landed answers.
const STATE = /^(?:runs|calibration|fx|rejects|resolve|payees|alerts|owner-jobs)\//;

/** The files of a bucket that a removal changes. With the data in a folder, its methods do nothing. */
export class BucketFiles {
  readonly #taken = new Map<string, string>();

  private constructor(private readonly copy: SharedData | undefined) {}

  /**
   * Takes all files of the bucket that may hold personal data.
   * @throws TidemarkError `WarehouseBusy` when an answer about people is not landed yet
   */
  static async take(data: Data): Promise<BucketFiles> {
    const copy = data.isShared() ? data : undefined;
    const files = new BucketFiles(copy);
    if (copy === undefined) return files;
    const listed = await copy.listGiven();
    refuseUnlanded(copy, listed);
    await files.takeParts();
    const state = listed.filter(({ file }) => STATE.test(copy.keyOf(file)));
    await copy.all(state, async ({ file }) => {
      if (await copy.refresh(file)) files.#taken.set(file, stampOf(file));
    });
    return files;
  }

  /** Takes all landed parts again, because a load removes the files of loaded parts from a working copy. */
  async takeParts(): Promise<void> {
    const { copy } = this;
    if (copy === undefined) return;
    await pullManifests(copy);
    await pullParts(
      copy,
      readManifests(copy.dataDir, {}, () => undefined),
      { skipFaulty: true },
    );
    // Parts that a killed process left without a manifest.
    const landed = (await copy.listGiven(landingDir(copy.dataDir))).filter(
      ({ file }) => chunkOfPiece(file) === undefined && !existsSync(file),
    );
    await copy.all(landed, async ({ file }) => {
      await copy.take(file);
    });
  }

  /** Gives the files that changed since `take`. Removes those that are gone. */
  async give(): Promise<void> {
    const { copy } = this;
    if (copy === undefined) return;
    await copy.all(this.#taken, async ([file, stamp]) => {
      if (!existsSync(file)) await copy.remove(file);
      else if (stampOf(file) !== stamp) await copy.give(file);
    });
    await removeOldCheckpoints(copy.storage);
  }

  /**
   * Searches the files of the bucket themselves. Leaves out landed parts, whose hash this machine has checked, and files
   * that equal a DuckDB file of this machine, such as the checkpoint.
   */
  async search(search: Search, result: Searched): Promise<void> {
    const { copy } = this;
    if (copy === undefined) return;
    const own = new Set(await Promise.all([...search.fresh].map(sha256OfFile)));
    const parts = new Set(readManifests(copy.dataDir).map(({ file }) => file));
    const skipped = new Set([unprovenFile(copy.dataDir), ...[...parts].filter((file) => existsSync(file))]);
    const listed = (await copy.listGiven())
      .filter(({ file }) => !skipped.has(file))
      .map(({ file }) => copy.keyOf(file));
    for (let from = 0; from < listed.length; from += AT_ONCE) {
      const keys = listed.slice(from, from + AT_ONCE);
      const taken = new Map<string, string>();
      await copy.all(keys.entries(), async ([i, key]) => {
        // The extension tells the kind of some files.
        const file = path.join(`${unprovenFile(copy.dataDir)}.tmp`, String(i), path.basename(key));
        try {
          const { sha256 } = await copy.storage.download(key, file);
          if (!own.has(sha256)) taken.set(key, file);
        } catch (error) {
          if (!isStorageError(error, 'missing'))
            result.unread.push(`${copy.storage.name}/${key}: ${errorMessage(error)}`);
        }
      });
      for (const [key, file] of taken) await searchFile(search, file, `${copy.storage.name}/${key}`, result);
      await rm(`${unprovenFile(copy.dataDir)}.tmp`, { recursive: true, force: true });
    }
  }
}

function refuseUnlanded(copy: SharedData, listed: readonly Listed[]): void {
  for (const { file } of listed) if (isAboutPeople(copy.keyOf(file))) refuseOld(file);
  const key = listed
    .map(({ file }) => copy.keyOf(file))
    .find((name) => chunkOfPiece(name) !== undefined && isAboutPeople(name));
  if (key === undefined) return;
  const folder = key.slice(0, key.lastIndexOf('/'));
  throw new TidemarkError('WarehouseBusy', `${copy.storage.name}/${folder} has answers that are not landed yet.`, {
    todo: 'Wait until no run is open (`tidemark status`), and stop `tidemark watch listen`. After the loss of a receiver, another one lands its deliveries within three minutes. If no run is open, start one: it lands the answers of ended runs.',
    retryable: true,
  });
}

function isAboutPeople(key: string): boolean {
  return PEOPLE_STREAMS.some((stream) => key.startsWith(`landing/${stream}/`));
}

/** Identifies the content of a file on this machine: each write gives another stamp. */
function stampOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
}
