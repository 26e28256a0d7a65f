import { existsSync, statSync } from 'node:fs';
import { landingDir } from '../../core/data-folder.js';
import { TidemarkError } from '../../core/errors.js';
import { isPiece, pullManifests, pullParts, readManifests } from '../../landing/index.js';
import { PEOPLE_STREAMS } from '../../../schemas/pipeline/people.js';
import { removeOldCheckpoints } from '../../working-copy/checkpoint.js';
import { workingCopyOf } from '../../working-copy/open.js';
import type { Listed, WorkingCopy } from '../../working-copy/working-copy.js';

/*
 * Forgetting with the data in a bucket. This machine takes every file that the bucket has, so that the work and the
 * search see all of them. Landed parts are replaced here and in the bucket at once. At the end, this machine gives all
 * other files that it has changed or removed.
 */

// Files of runs, which steps of runs replace. They hold no landed answers.
const STATE = /^(?:runs|calibration|fx|rejects|resolve|payees|alerts|owner-jobs)\//;

/** The files of a bucket that a removal changes. With the data in a folder, its methods do nothing. */
export class BucketFiles {
  readonly #copy: WorkingCopy | undefined;
  readonly #taken = new Map<string, string>();

  private constructor(copy: WorkingCopy | undefined) {
    this.#copy = copy;
  }

  /**
   * Takes all files of the bucket that may hold personal data.
   * @throws TidemarkError `WarehouseBusy` when an answer about people is not landed yet
   */
  static async take(dataDir: string): Promise<BucketFiles> {
    const copy = workingCopyOf(dataDir);
    const files = new BucketFiles(copy);
    if (copy === undefined) return files;
    const listed = await copy.list();
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
    const copy = this.#copy;
    if (copy === undefined) return;
    const { dataDir } = copy;
    await pullManifests(dataDir);
    await pullParts(
      dataDir,
      readManifests(dataDir, {}, () => undefined),
      { skipFaulty: true },
    );
    // Parts that a killed process left without a manifest.
    const landed = (await copy.list(landingDir(dataDir))).filter(({ file }) => !isPiece(file) && !existsSync(file));
    await copy.all(landed, async ({ file }) => {
      await copy.take(file);
    });
  }

  /** Gives the files that changed since `take`. Removes those that are gone. */
  async give(): Promise<void> {
    const copy = this.#copy;
    if (copy === undefined) return;
    await copy.all(this.#taken, async ([file, stamp]) => {
      if (!existsSync(file)) await copy.remove(file);
      else if (stampOf(file) !== stamp) await copy.give(file);
    });
    await removeOldCheckpoints(copy.storage);
  }

  /** Lists the keys of the bucket that this machine does not have, so that a search here has not seen them. */
  async unseen(): Promise<string[]> {
    const copy = this.#copy;
    if (copy === undefined) return [];
    const isSeen = ({ file, bytes }: Listed): boolean =>
      statSync(file, { throwIfNoEntry: false })?.size === bytes || !isStored(copy.keyOf(file));
    return (await copy.list())
      .filter((one) => !isSeen(one))
      .map(({ file }) => `${copy.storage.name}/${copy.keyOf(file)}`);
  }
}

/** Whether a key is a landed file or a file of runs. The checkpoint and the published build are copies of files here. */
function isStored(key: string): boolean {
  return key.startsWith('landing/') || STATE.test(key);
}

function refuseUnlanded(copy: WorkingCopy, listed: readonly Listed[]): void {
  const key = listed.map(({ file }) => copy.keyOf(file)).find((name) => isPiece(name) && isAboutPeople(name));
  if (key === undefined) return;
  const folder = key.slice(0, key.lastIndexOf('/'));
  throw new TidemarkError('WarehouseBusy', `${copy.storage.name}/${folder} has answers that are not landed yet.`, {
    todo: 'Wait until no run is open (`tidemark status`), and stop `tidemark watch listen`. After the loss of a receiver, another one lands its deliveries within five minutes. If no run is open, start one: it lands the answers of ended runs.',
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
