import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { asDiskError } from '../store/disk-errors.js';
import { makeFolder } from '../store/files.js';
import type { Data } from '../store/data.js';
import { distinct, encodeFrame, endOf, headOf, parseFrames, type Frame } from './frames.js';
import { Pieces, readAllPieces } from './pieces.js';

/*
 * States of a spool, and what changes them:
 * - open → open: an attempt ends before the commit. The next attempt cuts off an incomplete frame and continues.
 * - open → failed: a write fails, for example because the disk is full. The spool rejects all later frames. The next
 *   attempt opens it again.
 * - open → removed: its rows are now in committed parts (part-writer.ts, land-spool.ts).
 * - open → left: its run has ended before the chunk is complete. `adoptSpools` lands its rows as `part-left-…`.
 * - open → removed: its run ends, and the spool holds an incomplete listing or incomplete records about the run.
 */

// Frames that `add` holds back are written after this time, in milliseconds.
const HELD_BACK_MS = 25;

/**
 * Appends the responses of one chunk to a file (see frames.ts). After a `kill -9`, the next worker continues from this
 * file. Only requests in flight are lost, and the few frames that `add` holds back. So a part may be large without risk.
 */
export class Spool {
  /** The frames of earlier attempts that the file held when it was opened. */
  readonly found: Frame[];
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #pieces: Pieces | undefined;
  #waiting: Buffer[][] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes: number;
  #failure: Error | undefined;

  private constructor(file: string, handle: FileHandle, found: Frame[], pieces: Pieces | undefined) {
    this.#file = file;
    this.#handle = handle;
    this.#bytes = statSync(file).size;
    this.found = found;
    this.#pieces = pieces;
  }

  /**
   * Opens a spool and reads the frames of earlier attempts.
   * @param data with a bucket, gives it some frames, and takes those of other machines. Undefined: the file is enough
   */
  static async open(file: string, data?: Data): Promise<Spool> {
    const copy = data?.isShared() ? data : undefined;
    await makeFolder(path.dirname(file));
    const found = recover(file);
    const { frames: given, read } = copy === undefined ? { frames: [], read: [] } : await readAllPieces(copy, file);
    const handle = await open(file, 'a');
    try {
      const spool = new Spool(file, handle, found, copy === undefined ? undefined : new Pieces(copy, file, read));
      spool.#join(given);
      return spool;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Size of the file including all added frames, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a frame that is written with other frames in one write, because each write has a fixed cost. The write happens
   * when `most` frames wait, or after 25 ms. If the process is killed, the waiting frames are lost. Written frames are
   * lost only if the power fails before `sync`.
   */
  add(frame: Frame, most: number): void {
    const encoded = encodeFrame(frame);
    this.#pieces?.add(encoded);
    this.#push(encoded);
    if (this.#waiting.length >= most) this.#flush();
    // A failed write is reported by the next one.
    else this.#timer ??= setTimeout(() => this.#tryFlush(), HELD_BACK_MS);
  }

  #push(encoded: Buffer[]): void {
    for (const { length } of encoded) this.#bytes += length;
    this.#waiting.push(encoded);
  }

  /** Adds the frames that only the bucket has to the file. Gives those that only the file has with the next piece. */
  #join(given: readonly Frame[]): void {
    const here = new Set(this.found.map(headOf));
    const there = new Set(given.map(headOf));
    for (const frame of this.found) if (!there.has(headOf(frame))) this.#pieces?.add(encodeFrame(frame));
    for (const frame of given) {
      if (here.has(headOf(frame))) continue;
      this.found.push(frame);
      this.#push(encodeFrame(frame));
    }
    this.#flush();
  }

  /** Resolves when the bucket has all frames. Does nothing if the data is in a folder. */
  async give(): Promise<void> {
    await this.#pieces?.give();
  }

  /** Resolves when the bucket shows that this chunk is open. Does nothing if the data is in a folder. */
  async mark(): Promise<void> {
    await this.#pieces?.mark();
  }

  /** Writes all waiting frames in one write. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    // If a write has failed, reject all later frames, because the file may end with half a frame. The next `open` cuts it
    // off.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      appendFileSync(this.#handle.fd, Buffer.concat(this.#waiting.flat()));
      this.#waiting = [];
    } catch (error) {
      this.#failure = asDiskError(error, this.#file) as Error;
      throw this.#failure;
    }
  }

  #tryFlush(): void {
    try {
      this.#flush();
    } catch {
      // `#failure` keeps the error.
    }
  }

  /** Resolves when all added frames are on disk and safe from a power failure. Rejects if the file was removed. */
  async sync(): Promise<void> {
    this.#flush();
    try {
      await this.#handle.datasync();
    } catch (error) {
      throw asDiskError(error, this.#file);
    }
    this.assertKept();
  }

  /** @throws Error if the file was removed: its rows are landed, perhaps under another name */
  assertKept(): void {
    if (!existsSync(this.#file)) throw new Error(`${this.#file} was removed while it was written.`);
  }

  /** Writes the frames that wait, gives what the bucket lacks, then closes the file. */
  async close(): Promise<void> {
    this.#tryFlush();
    // Frames that cannot be given are fetched again, if another machine continues the chunk.
    await this.give().catch(() => undefined);
    await this.#handle.close();
  }

  /** Closes and removes the spool. Call this when the rows are in a committed part. */
  async discard(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting = [];
    await this.#handle.close();
    await this.#pieces?.drop();
    // Another attempt may have committed the chunk and removed the spool.
    await rm(this.#file, { force: true });
  }
}

/**
 * Reads the frames of earlier attempts. After a kill, a full disk or a power failure, the last frames may be
 * incomplete. Cuts the file off after the last sound frame, so that new frames can follow. The run fetches the lost
 * responses again.
 */
function recover(file: string): Frame[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const frames = [...parseFrames(bytes)];
  const last = frames.at(-1);
  const whole = last === undefined ? 0 : endOf(last, bytes);
  if (whole < bytes.length) truncateSync(file, whole);
  return distinct(frames);
}

/** Reads the frames of a spool. Skips incomplete and damaged ones. Returns none if there is no such file. */
export function readSpool(file: string): Frame[] {
  return existsSync(file) ? [...parseFrames(readFileSync(file))] : [];
}
