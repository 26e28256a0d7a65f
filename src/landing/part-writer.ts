import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PartManifest, type LandedRow } from '../../schemas/pipeline/landing.js';
import { writeFileOnce } from '../core/files.js';
import { findReplacing } from './manifest.js';
import { encodePart } from './parquet.js';
import { manifestFile, otherPartName, partName, runFolder, spoolFile, type PartTarget } from './paths.js';
import { Spool } from './spool.js';

/** A response before it is landed; the writer adds the hash. */
export type NewRow = Omit<LandedRow, 'sha256'>;

/**
 * Lands the responses of one chunk: first to a spool, then, when the chunk is complete, as one immutable Parquet part
 * with its manifest. Opening the same chunk again goes on where the last attempt stopped.
 */
export class PartWriter {
  readonly #target: PartTarget;
  readonly #spool: Spool;
  readonly #rows: LandedRow[];

  private constructor(target: PartTarget, spool: Spool) {
    this.#target = target;
    this.#spool = spool;
    this.#rows = [...spool.found];
  }

  /** The chunk's manifest when it is already committed: then there is nothing to do. */
  static committed(target: PartTarget): PartManifest | undefined {
    const file = manifestFile(runFolder(target), target.chunk);
    return existsSync(file) ? PartManifest.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  }

  /** Opens a chunk; `resume: false` drops what an earlier attempt spooled. */
  static async open(target: PartTarget, { resume = true } = {}): Promise<PartWriter> {
    const file = spoolFile(runFolder(target), target.chunk);
    if (!resume) await rm(file, { force: true });
    return new PartWriter(target, await Spool.open(file));
  }

  /** Everything landed in this chunk so far, by this attempt and earlier ones. */
  get rows(): readonly LandedRow[] {
    return this.#rows;
  }

  async append(row: NewRow): Promise<void> {
    const landed = { ...row, sha256: createHash('sha256').update(row.body).digest('hex') };
    await this.#spool.append(landed);
    this.#rows.push(landed);
  }

  /** Resolves once every row appended is on disk, so that it outlasts a power cut before the part is committed. */
  sync(): Promise<void> {
    return this.#spool.sync();
  }

  /**
   * Writes part, then manifest, then drops the spool. A crash between any two of these leaves a state from which the next
   * attempt makes the same part. A chunk without rows leaves nothing. Where another attempt has committed the chunk
   * meanwhile (this one was taken for dead), what that one committed stands, and is returned.
   * @param options `as`: the part's name, where it is not that of the spool
   */
  async commit({ as = this.#target.chunk } = {}): Promise<PartManifest | undefined> {
    const target = { ...this.#target, chunk: as };
    const committed = this.#rows.length === 0 ? undefined : await writePart(target, this.#rows);
    await this.#spool.discard();
    return committed;
  }

  /** Stops without committing: the spool stays for the next attempt. */
  async close(): Promise<void> {
    await this.#spool.close();
  }
}

/**
 * Writes a chunk's part, then its manifest. Where another attempt has committed the chunk, what that one committed stands,
 * and is returned.
 */
export async function writePart(target: PartTarget, rows: LandedRow[]): Promise<PartManifest | undefined> {
  const folder = runFolder(target);
  const earlier = PartWriter.committed(target) ?? findReplacing(folder, target.chunk);
  if (earlier) return earlier;
  const bytes = encodePart(target, rows);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const times = rows.map((row) => row.fetched_at).toSorted();
  const { dataDir: _, ...identity } = target;
  const manifest: PartManifest = {
    ...identity,
    part: await placePart(folder, target.chunk, bytes, sha256),
    rows: rows.length,
    bytes: bytes.byteLength,
    sha256,
    firstFetchedAt: times[0] ?? null,
    lastFetchedAt: times.at(-1) ?? null,
    writtenAt: new Date().toISOString(),
  };
  const made = await writeFileOnce(manifestFile(folder, target.chunk), `${JSON.stringify(manifest)}\n`);
  const standing = made ? manifest : PartWriter.committed(target);
  // Whatever no manifest names is nobody's: the manifest that stands is never written again.
  for (const name of [partName(target.chunk), manifest.part]) {
    if (standing !== undefined && name !== standing.part) await rm(path.join(folder, name), { force: true });
  }
  return standing;
}

/** Lands a few rows at once, unless this chunk was landed before. */
export async function landRows(target: PartTarget, rows: NewRow[]): Promise<void> {
  if (PartWriter.committed(target)) return;
  const writer = await PartWriter.open(target);
  // An earlier attempt that died here left the same rows, perhaps not all: they are few, so only the rest is added.
  for (const row of rows.slice(writer.rows.length)) await writer.append(row);
  await writer.commit();
}

/**
 * Writes a part's file without ever touching one that is there, and returns its name: two attempts at a chunk, one of them
 * taken for dead, may both be here, and either may be the one that gets its manifest.
 */
async function placePart(folder: string, chunk: string, bytes: Uint8Array, sha256: string): Promise<string> {
  const plain = partName(chunk);
  if (await writeFileOnce(path.join(folder, plain), bytes)) return plain;
  const there = createHash('sha256').update(readFileSync(path.join(folder, plain)));
  if (there.digest('hex') === sha256) return plain;
  const other = otherPartName(chunk, sha256);
  await writeFileOnce(path.join(folder, other), bytes);
  return other;
}
