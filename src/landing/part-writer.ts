import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../store/data-folder.js';
import type { PartManifest } from '../../schemas/pipeline/landing.js';
import { PEOPLE } from '../../schemas/streams/people.js';
import { namesIn, writeFileOnce } from '../store/files.js';
import { sha256 } from '../base/hash.js';
import { partLanded } from '../base/observed.js';
import { refreshForgotten, requireForgotten } from '../privacy/forgotten.js';
import { frameOf, stripFrame, type Frame, type NewRow } from './frames.js';
import { findReplacing, readManifest, tryManifest } from './manifest.js';
import { encodePart } from './parquet.js';
import { manifestFile, manifestName, partName, spoolFile, type PartTarget } from './paths.js';
import { Spool } from './spool.js';
import type { Data } from '../store/data.js';

/**
 * Lands the responses of one chunk. Appends each response to a spool. When the chunk is complete, writes it as one
 * immutable Parquet part with a manifest. After an interruption, opening the chunk again continues from the spool.
 *
 * States of a chunk: open (its rows are in the spool) → part written → committed (manifest written) → spool removed.
 */
export class PartWriter {
  readonly #target: PartTarget;
  readonly #spool: Spool;
  readonly #rows: Frame[];

  private constructor(target: PartTarget, spool: Spool) {
    this.#target = target;
    this.#spool = spool;
    this.#rows = [...spool.found];
  }

  /** Returns the chunk's manifest if the chunk is committed, here or by another machine; undefined otherwise. */
  static async committed(target: PartTarget): Promise<PartManifest | undefined> {
    const file = manifestFile(runFolder(target), target.chunk);
    if (tryManifest(file) === undefined) await target.data.take(file);
    return existsSync(file) ? readManifest(file) : undefined;
  }

  /**
   * Opens a chunk and continues from the spool of earlier attempts. With `resume: false`, removes that spool, and gives
   * no pieces of the new one to other machines.
   * @throws TidemarkError `InvalidConfig` when forgotten people could not be recognized in the responses
   */
  static async open(target: PartTarget, { resume = true } = {}): Promise<PartWriter> {
    requireForgotten(target);
    const file = spoolFile(runFolder(target), target.chunk);
    if (!resume) await rm(file, { force: true });
    const spool = await Spool.open(file, resume ? target.data : undefined);
    const writer = new PartWriter(target, spool);
    if (PEOPLE[target.stream] !== undefined) await writer.#orClose(spool.mark());
    return writer;
  }

  /** The rows of this chunk so far, from this attempt and from earlier ones. */
  get rows(): readonly Frame[] {
    return this.#rows;
  }

  /** Appends a row. Resolves when the operating system has it. From then on, a killed process does not lose it. */
  async append(row: NewRow): Promise<void> {
    this.add(row, 1);
  }

  /**
   * Adds a row, which may reach the operating system later, together with other rows (`Spool.add`). If the process is
   * killed before, its answer must be fetched again. So use `keep` for answers that cost money.
   * @param most number of rows that may wait
   */
  add(row: NewRow, most: number): void {
    const frame = stripFrame(this.#target, frameOf(row));
    this.#spool.add(frame, most);
    this.#rows.push(frame);
  }

  /** Appends a row whose answer cost money. With the data in a bucket, resolves when the bucket has it. */
  async keep(row: NewRow): Promise<void> {
    this.add(row, 1);
    await this.#spool.give();
  }

  /** Resolves when every appended row is on disk. From then on, a power failure loses none of them. */
  sync(): Promise<void> {
    return this.#spool.sync();
  }

  /**
   * Writes the part, then the manifest, then removes the spool. After a crash between two steps, the next attempt makes
   * the same part. A chunk without rows makes no part.
   * @param options `as`: chunk name of the part, if it differs from the chunk name of the spool
   * @returns the manifest of the chunk; another attempt may have written it
   * @throws Error if the spool is gone and the chunk is not committed, because another run has landed these rows
   */
  async commit({ as = this.#target.chunk } = {}): Promise<PartManifest | undefined> {
    const target = { ...this.#target, chunk: as };
    const written =
      this.#rows.length === 0
        ? undefined
        : await this.#orClose(writePart(target, this.#rows, () => this.#spool.assertKept()));
    await this.#spool.discard();
    return written?.manifest;
  }

  /** Closes the spool if the work fails. */
  async #orClose<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops without committing. The spool remains for the next attempt. */
  async close(): Promise<void> {
    await this.#spool.close();
  }
}

/**
 * Writes a chunk's part, then its manifest. If another attempt has already committed the chunk, keeps its part and
 * writes nothing.
 * @param assertFree called if no attempt has committed the chunk; throws to write nothing
 * @returns the valid manifest, and whether this call has committed it
 */
export async function writePart(
  target: PartTarget,
  frames: readonly Frame[],
  assertFree = (): void => undefined,
): Promise<{ manifest: PartManifest | undefined; isNew: boolean }> {
  const folder = runFolder(target);
  // If another machine has committed the chunk, `placeManifest` finds out. To ask before would cost two requests.
  const earlier = tryManifest(manifestFile(folder, target.chunk)) ?? findReplacing(folder, target.chunk);
  if (earlier) return { manifest: earlier, isNew: false };
  assertFree();
  // Remove forgotten people again: `tidemark forget` may have run after these rows were spooled.
  await refreshForgotten(target.data, target.stream);
  const bytes = await encodePart(
    target,
    frames.map((frame) => stripFrame(target, frame)),
  );
  const hash = sha256(bytes);
  const file = path.join(folder, partName(target.chunk, hash));
  await writeFileOnce(file, bytes);
  await target.data.give(file);
  const times = frames.map(({ fetched_at }) => fetched_at).toSorted();
  const { data, ...identity } = target;
  const manifest: PartManifest = {
    ...identity,
    part: path.basename(file),
    rows: frames.length,
    bytes: bytes.byteLength,
    sha256: hash,
    firstFetchedAt: times[0] ?? null,
    lastFetchedAt: times.at(-1) ?? null,
    writtenAt: new Date().toISOString(),
  };
  // This process may have been paused until compaction joined the part of another attempt with others.
  const joined = findReplacing(folder, target.chunk);
  if (joined !== undefined) {
    await data.remove(file);
    return { manifest: joined, isNew: false };
  }
  const isNew = await placeManifest(data, folder, manifest);
  if (isNew) partLanded.report(manifest);
  const standing = isNew ? manifest : await PartWriter.committed(target);
  if (standing === undefined) return { manifest: standing, isNew };
  // No later manifest will name this file, nor those that killed attempts have written in this folder.
  if (standing.part !== manifest.part) await data.remove(file);
  for (const name of namesIn(folder, `part-${target.chunk}.`))
    if (manifestName(name) === path.basename(manifestFile(folder, target.chunk)) && name !== standing.part)
      await data.remove(path.join(folder, name));
  return { manifest: standing, isNew };
}

/** Lands a few rows in one step, unless the chunk is already committed. */
export async function landRows(target: PartTarget, rows: NewRow[]): Promise<void> {
  if (await PartWriter.committed(target)) return;
  const writer = await PartWriter.open(target);
  // A crashed attempt may have appended the first of these rows to the spool. Append only the rest.
  for (const row of rows.slice(writer.rows.length)) await writer.append(row);
  await writer.commit();
}

/** Commits a part of a run's folder, unless another attempt has committed its chunk. Returns whether this call did it. */
export async function placeManifest(data: Data, folder: string, manifest: PartManifest): Promise<boolean> {
  return data.claim(manifestFile(folder, manifest.chunk), `${JSON.stringify(manifest)}\n`);
}
