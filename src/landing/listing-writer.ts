import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../store/data-folder.js';
import { namesIn } from '../store/files.js';
import { publishFiles, removePublished, takePublished } from '../store/publish-files.js';
import type { NewRow } from './frames.js';
import { PartWriter } from './part-writer.js';
import { spoolFile, spoolsDir, type PartTarget } from './paths.js';

// Number of pages per part. Only the pages of one part are in memory at a time.
const PAGES_PER_PART = 100;

/**
 * Lands a listing of any length, either completely or not at all.
 *
 * States, in this order:
 * - reading: pages are appended to spools. After a crash, the listing is read again from its start.
 * - complete: the file `complete-<listing>.json` exists. After a crash, only the remaining spools are committed.
 * - committed: all spools have become parts. The part with the listing's own name is committed last, so it proves that
 *   all parts exist.
 */
export class ListingWriter {
  private part: PartWriter | null = null;
  private inPart = 0;
  private sealed = 0;
  rows = 0;

  private constructor(private readonly target: PartTarget) {}

  /** Starts a listing from its first page. Removes the spools of an earlier, incomplete attempt. */
  static async open(target: PartTarget): Promise<ListingWriter> {
    const folder = spoolsDir(runFolder(target));
    for (const name of namesIn(folder, `part-${target.chunk}`)) await rm(path.join(folder, name), { force: true });
    return new ListingWriter(target);
  }

  async append(row: NewRow): Promise<void> {
    if (this.inPart === PAGES_PER_PART) await this.seal();
    this.part ??= await PartWriter.open(
      { ...this.target, chunk: chunkName(this.target, this.sealed) },
      { resume: false },
    );
    await this.part.append(row);
    this.inPart += 1;
    this.rows += 1;
  }

  /**
   * Marks the listing as complete, then commits every part. If this is interrupted after the mark, the next attempt
   * commits the remaining parts.
   * @returns the number of pages
   */
  async commit(): Promise<{ rows: number }> {
    await this.seal();
    if (this.sealed === 0) return { rows: 0 };
    const spools = Array.from({ length: this.sealed }, (_, part) => spoolOf(this.target, part));
    // If another machine has read the listing meanwhile, its pages are valid.
    await publishFiles(this.target.data, completeFile(this.target), { parts: this.sealed }, spools);
    await finishListing(this.target);
    return { rows: this.rows };
  }

  /** Stops without committing. */
  async close(): Promise<void> {
    await this.part?.close();
  }

  private async seal(): Promise<void> {
    if (!this.part) return;
    await this.part.sync();
    await this.part.close();
    this.part = null;
    this.inPart = 0;
    this.sealed += 1;
  }
}

/**
 * Commits the remaining parts of a complete listing.
 * @returns false when no complete listing waits for this
 */
export async function finishListing(target: PartTarget): Promise<boolean> {
  const { data } = target;
  const file = completeFile(target);
  if (!(await data.refresh(file))) return false;
  const { parts } = JSON.parse(readFileSync(file, 'utf8')) as { parts: number };
  for (let part = 0; part < parts; part++) {
    const chunk = part === parts - 1 ? target.chunk : chunkName(target, part);
    const spool = spoolOf(target, part);
    if (!(await PartWriter.committed({ ...target, chunk }))) await takePublished(data, file, part, spool);
    if (!existsSync(spool)) continue;
    const writer = await PartWriter.open({ ...target, chunk: chunkName(target, part) });
    await writer.commit({ as: chunk });
  }
  await removePublished(data, file);
  return true;
}

function chunkName({ chunk }: PartTarget, part: number): string {
  return `${chunk}-${String(part).padStart(5, '0')}`;
}

function spoolOf(target: PartTarget, part: number): string {
  return spoolFile(runFolder(target), chunkName(target, part));
}

function completeFile(target: PartTarget): string {
  return path.join(spoolsDir(runFolder(target)), `complete-${target.chunk}.json`);
}
