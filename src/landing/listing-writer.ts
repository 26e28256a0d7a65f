import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../store/data-folder.js';
import { writeFileAtomic } from '../store/files.js';
import { workingCopyOf } from '../store/working-copy/open.js';
import { PartWriter, type NewRow } from './part-writer.js';
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
  /** Number of pages that were appended so far. */
  rows = 0;

  private constructor(private readonly target: PartTarget) {}

  /** Starts a listing from its first page. Removes the spools of an earlier, incomplete attempt. */
  static async open(target: PartTarget): Promise<ListingWriter> {
    await dropListing(target);
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
   */
  async commit(): Promise<void> {
    await this.seal();
    if (this.sealed === 0) return;
    await markComplete(this.target, this.sealed);
    await finishListing(this.target);
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

/** Content of the file `complete-<listing>.json`. */
interface Complete {
  parts: number;
  /** With the data in a bucket: the spools as they were given to the bucket, by part. */
  spools?: { key: string; bytes: number; sha256: string }[];
}

/**
 * Marks a listing as complete. With the data in a bucket, gives its spools first, so that any machine can commit them.
 * If another machine has read the listing meanwhile, its pages are valid.
 */
async function markComplete(target: PartTarget, parts: number): Promise<void> {
  const file = completeFile(target);
  const copy = workingCopyOf(target.dataDir);
  if (copy === undefined) return writeFileAtomic(file, `${JSON.stringify({ parts } satisfies Complete)}\n`);
  const spools: Complete['spools'] = [];
  for (let part = 0; part < parts; part++) {
    const spool = spoolFile(runFolder(target), chunkName(target, part));
    const key = `${copy.keyOf(spool)}.${copy.id}-${randomUUID().slice(0, 8)}`;
    spools.push({ key, ...(await copy.storage.upload(key, spool)) });
  }
  await copy.claimText(file, Buffer.from(`${JSON.stringify({ parts, spools } satisfies Complete)}\n`));
}

/**
 * Commits the remaining parts of a complete listing.
 * @returns false when no complete listing waits for this
 */
export async function finishListing(target: PartTarget): Promise<boolean> {
  const file = completeFile(target);
  const copy = workingCopyOf(target.dataDir);
  await copy?.refresh(file);
  if (!existsSync(file)) return false;
  const { parts, spools } = JSON.parse(readFileSync(file, 'utf8')) as Complete;
  for (let part = 0; part < parts; part++) {
    const chunk = part === parts - 1 ? target.chunk : chunkName(target, part);
    const spooled = { ...target, chunk: chunkName(target, part) };
    const spool = spoolFile(runFolder(target), spooled.chunk);
    const given = spools?.[part];
    if (copy !== undefined && given !== undefined) {
      if (await PartWriter.committed({ ...target, chunk })) continue;
      // The spool on this machine may be of another attempt.
      const { key, ...content } = given;
      await copy.storage.download(key, spool, content);
    }
    if (!existsSync(spool)) continue;
    await (await PartWriter.open(spooled)).commit({ as: chunk });
  }
  if (copy !== undefined) {
    await copy.remove(file);
    await copy.all(spools ?? [], async ({ key }) => copy.storage.remove(key));
  }
  await rm(file, { force: true });
  return true;
}

/** Removes the spools of an incomplete listing. */
async function dropListing(target: PartTarget): Promise<void> {
  const folder = spoolsDir(runFolder(target));
  if (!existsSync(folder)) return;
  const own = readdirSync(folder).filter((name) => name.startsWith(`part-${target.chunk}`));
  for (const name of own) await rm(path.join(folder, name), { force: true });
}

function chunkName({ chunk }: PartTarget, part: number): string {
  return `${chunk}-${String(part).padStart(5, '0')}`;
}

function completeFile(target: PartTarget): string {
  return path.join(spoolsDir(runFolder(target)), `complete-${target.chunk}.json`);
}
