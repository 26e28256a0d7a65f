import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { TidemarkError } from '../base/errors.js';
import type { Data, SharedData } from '../store/data.js';
import { storageError } from '../store/errors.js';
import { distinct, parseFrames, type Frame } from './frames.js';

/*
 * With the data in a bucket, a spool stays on its machine until its chunk is committed. Only two kinds of frames go to the
 * bucket before:
 * - those whose answers cost money, because their loss would be final
 * - those of an attempt that ends before the commit, so that another machine can continue the chunk
 * One request gives all frames that the bucket lacks, as one piece. A piece never changes. Its key is
 * `<spool>.pieces/<writer>-<number>.spool`. While a chunk about people is open, the bucket has at least an empty piece, so
 * that `tidemark forget` knows of its answers.
 */

/** Gives the frames of one spool in pieces. */
export class Pieces {
  readonly #copy: SharedData;
  readonly #spool: string;
  // The time puts the pieces of a later writer last.
  readonly #writer = `${Date.now()}-${randomUUID().slice(0, 8)}`;
  /** Keys of the pieces that the bucket has. */
  readonly #keys: string[];
  #lacking: Buffer[] = [];
  #number = 0;
  #tail: Promise<void> = Promise.resolve();

  /** @param keys the pieces that the bucket has already */
  constructor(copy: SharedData, spool: string, keys: readonly string[]) {
    this.#copy = copy;
    this.#spool = spool;
    this.#keys = [...keys];
  }

  /** Adds a frame that the bucket lacks. */
  add(encoded: Buffer[]): void {
    this.#lacking.push(...encoded);
  }

  /** Resolves when the bucket has all frames. */
  give(): Promise<void> {
    this.#tail = this.#tail.catch(() => undefined).then(() => this.#send());
    return this.#tail;
  }

  /** Resolves when the bucket has a piece, even if it is empty. */
  async mark(): Promise<void> {
    if (this.#keys.length === 0) await this.#create([]);
  }

  async #send(): Promise<void> {
    const lacking = this.#lacking;
    if (lacking.length === 0) return;
    this.#lacking = [];
    try {
      await this.#create(lacking);
    } catch (error) {
      this.#lacking = [...lacking, ...this.#lacking];
      throw error;
    }
  }

  async #create(encoded: Buffer[]): Promise<void> {
    const name = `${this.#writer}-${String(this.#number++).padStart(6, '0')}.spool`;
    const key = `${this.#copy.keyOf(piecesDir(this.#spool))}/${name}`;
    this.#keys.push(key);
    await this.#copy.storage.create(key, Buffer.concat(encoded));
  }

  /**
   * Removes the pieces, because their rows are landed. Waits for the piece in flight. A piece of another machine may
   * remain until its run ends.
   */
  async drop(): Promise<void> {
    this.#lacking = [];
    await this.#tail.catch(() => undefined);
    await this.#copy.all(this.#keys, async (key) => this.#copy.storage.remove(key));
  }
}

/** Lists the keys of a spool's pieces, in the order of their writers and numbers. */
async function listPieces(copy: SharedData, spool: string): Promise<string[]> {
  return (await copy.listGiven(piecesDir(spool))).map(({ file }) => copy.keyOf(file));
}

/**
 * Reads the frames of pieces, each once.
 * @returns the frames, and the keys of the pieces that were there. Another process may have removed the others
 */
export async function readPieces(
  copy: SharedData,
  keys: readonly string[],
): Promise<{ frames: Frame[]; read: string[] }> {
  const bodies = new Map<string, Buffer>();
  await copy.all(keys, async (key) => {
    const found = await copy.storage.read(key);
    if (found !== undefined) bodies.set(key, found.body);
  });
  const read = keys.filter((key) => bodies.has(key));
  return { frames: distinct(read.flatMap((key) => [...parseFrames(bodies.get(key)!)])), read };
}

/**
 * Reads the frames of all pieces of a spool, and returns the keys of these pieces.
 * @throws StorageError `unreachable` if a piece is there, but cannot be read
 */
export async function readAllPieces(copy: SharedData, spool: string): Promise<{ frames: Frame[]; read: string[] }> {
  const keys = await listPieces(copy, spool);
  const found = await readPieces(copy, keys);
  if (found.read.length === keys.length) return found;
  const left = new Set(await listPieces(copy, spool));
  const unread = keys.find((key) => left.has(key) && !found.read.includes(key));
  if (unread === undefined) return found;
  throw storageError('unreachable', copy.storage, unread, 'is there, but cannot be read');
}

/** Removes a spool: its pieces in the bucket, then the file. If this is interrupted, the file tells the next attempt. */
export async function removeSpool(data: Data, spool: string): Promise<void> {
  if (data.isShared()) await data.all(await listPieces(data, spool), async (key) => data.storage.remove(key));
  await rm(spool, { force: true });
}

/** Returns the chunk of a piece, from its path; undefined if the file is no piece. deliveries.ts names numbered ones. */
export function chunkOfPiece(file: string): string | undefined {
  return /part-([^\\/]+)\.spool(?:\.pieces[\\/][^\\/]+|\.\d+)$/.exec(file)?.[1];
}

/** @throws the error of `oldFault` */
export function refuseOld(file: string): void {
  const fault = oldFault(file);
  if (fault !== undefined) throw fault;
}

/** The error for a spool or piece of version 1.0.0-rc.1, which this version cannot read; undefined for other files. */
export function oldFault(file: string): TidemarkError | undefined {
  if (!/\.ndjson(\.pieces[\\/][^\\/]+)?$/.test(file)) return undefined;
  return new TidemarkError(
    'LandingCorrupt',
    `Landing zone: ${file} holds answers that an older version has not landed.`,
    {
      todo: 'Start the version that wrote it, wait until its runs have ended and its receivers have landed their deliveries, then upgrade again. Or remove the file: then its answers are lost.',
    },
  );
}

/** Folder of the pieces of a spool. It exists only in the bucket. */
function piecesDir(spool: string): string {
  return `${spool}.pieces`;
}
