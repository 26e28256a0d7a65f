import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../core/files.js';
import { PartWriter, type NewRow } from './part-writer.js';
import { runFolder, spoolFile, type PartTarget } from './paths.js';

// Pages of a part. Only these are in memory.
const PAGES_PER_PART = 100;

/**
 * Lands a listing of any length in parts, as a whole or not at all: pages go to spools, and only when the listing is complete
 * do these become parts. The part with the listing's own name is committed last: it says that all of them are there.
 */
export class ListingWriter {
  private part: PartWriter | null = null;
  private inPart = 0;
  private sealed = 0;
  /** Pages so far. */
  rows = 0;

  private constructor(private readonly target: PartTarget) {}

  /** Opens a listing to read it anew: spools of an attempt that did not come to its end are dropped. */
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

  /** Commits every part. From the moment the listing is declared complete, a new attempt goes on with the commits. */
  async commit(): Promise<void> {
    await this.seal();
    if (this.sealed === 0) return;
    await writeFileAtomic(completeFile(this.target), `${JSON.stringify({ parts: this.sealed })}\n`);
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

/** Commits what is left of a listing that was read to its end; false where it was not. */
export async function finishListing(target: PartTarget): Promise<boolean> {
  const file = completeFile(target);
  if (!existsSync(file)) return false;
  const { parts } = JSON.parse(readFileSync(file, 'utf8')) as { parts: number };
  for (let part = 0; part < parts; part++) {
    const chunk = part === parts - 1 ? target.chunk : chunkName(target, part);
    const spooled = { ...target, chunk: chunkName(target, part) };
    if (!existsSync(spoolFile(runFolder(target), spooled.chunk))) continue;
    await (await PartWriter.open(spooled)).commit({ as: chunk });
  }
  await rm(file, { force: true });
  return true;
}

/** Removes the spools of a listing that was not read to its end. */
async function dropListing(target: PartTarget): Promise<void> {
  const folder = path.dirname(spoolFile(runFolder(target), target.chunk));
  if (!existsSync(folder)) return;
  const own = readdirSync(folder).filter((name) => name.startsWith(`part-${target.chunk}`));
  for (const name of own) await rm(path.join(folder, name), { force: true });
}

function chunkName({ chunk }: PartTarget, part: number): string {
  return `${chunk}-${String(part).padStart(5, '0')}`;
}

function completeFile(target: PartTarget): string {
  return path.join(path.dirname(spoolFile(runFolder(target), target.chunk)), `complete-${target.chunk}.json`);
}
