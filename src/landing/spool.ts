import { createReadStream, existsSync, statSync, truncateSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { asDiskError } from '../store/disk-errors.js';
import { makeFolder } from '../store/files.js';
import type { Data } from '../store/data.js';
import { WorkingCopy } from '../store/working-copy/working-copy.js';
import { dropPieces, Pieces, readPieces } from './pieces.js';

/*
 * States of a spool, and what changes them:
 * - open → open: an attempt ends before the commit. The next attempt cuts off an incomplete line and continues.
 * - open → failed: a write fails, for example because the disk is full. The spool rejects all later lines. The next
 *   attempt opens it again.
 * - open → removed: its rows are now in committed parts (part-writer.ts, land-spool.ts).
 * - open → left: its run has ended before the chunk is complete. `adoptSpools` moves the spool to `part-left-…` and
 *   lands its rows.
 * - open → removed: its run ends, and the spool holds an incomplete listing or incomplete records about the run.
 */

// Lines that `add` holds back are written after this time, in milliseconds.
const HELD_BACK_MS = 25;

/**
 * Appends the responses of one chunk to a file, one per line as JSON. After a `kill -9`, the next worker continues from
 * this file. Only requests in flight are lost, and the few lines that `add` holds back. So a part may be large without
 * risk.
 */
export class Spool {
  /** The rows of earlier attempts that the file held when it was opened. */
  readonly found: LandedRow[];
  readonly #file: string;
  readonly #handle: FileHandle;
  #tail: Promise<void> = Promise.resolve();
  #unwritten: Buffer[] = [];
  #nextWrite: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytes: number;
  readonly #copy: WorkingCopy | undefined;
  readonly #pieces: Pieces | undefined;

  private constructor(file: string, handle: FileHandle, found: LandedRow[], copy: WorkingCopy | undefined) {
    this.#file = file;
    this.#handle = handle;
    this.#bytes = statSync(file).size;
    this.found = found;
    this.#copy = copy;
    this.#pieces = copy === undefined ? undefined : new Pieces(copy, file);
  }

  /**
   * Opens a spool and reads the rows of earlier attempts.
   * @param data with a bucket, gives it the lines in pieces, and takes those of other machines. Undefined: the file is
   * enough
   */
  static async open(file: string, data?: Data): Promise<Spool> {
    const copy = data instanceof WorkingCopy ? data : undefined;
    await makeFolder(path.dirname(file));
    const found = await recover(file);
    const given = copy === undefined ? [] : await readPieces(copy, file);
    const spool = new Spool(file, await open(file, 'a'), found, copy);
    await spool.#join(given);
    return spool;
  }

  /** Size of the file including all appended lines, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Resolves when the operating system has the line. From then on, the line is kept if the process ends, but not if the
   * power fails.
   */
  async append(row: LandedRow): Promise<void> {
    const given = this.#push(row);
    await this.#flush();
    await given;
  }

  /**
   * Adds a line that is written with other lines in one write, because each write has a fixed cost. The write starts
   * when `most` lines wait, or after 25 ms. If the process is killed, up to two times `most` added lines are lost:
   * `most` lines that wait, and `most` lines that are being written.
   * @returns a promise if `most` lines wait now; it resolves when the operating system has them
   */
  add(row: LandedRow, most: number): Promise<void> | undefined {
    const given = this.#push(row);
    if (this.#unwritten.length >= most) return given === undefined ? this.#flush() : this.#flush().then(() => given);
    // A failed write is reported by the next one.
    this.#timer ??= setTimeout(() => void this.#flush().catch(() => undefined), HELD_BACK_MS);
    return given;
  }

  /** @returns a promise if too many lines are not in the bucket yet */
  #push(row: LandedRow): Promise<void> | undefined {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.#bytes += line.byteLength;
    this.#unwritten.push(line);
    return this.#pieces?.add(line);
  }

  /** Adds the lines that only the bucket has to the file, and those that only the file has to the next piece. */
  async #join(given: readonly Buffer[]): Promise<void> {
    if (this.#pieces === undefined) return;
    const here = new Set(this.found.map((row) => `${JSON.stringify(row)}\n`));
    const there = new Set(given.map((line) => line.toString('utf8')));
    for (const line of here) if (!there.has(line)) void this.#pieces.add(Buffer.from(line))?.catch(() => undefined);
    for (const line of there) {
      const row = here.has(line) ? undefined : parseRow([Buffer.from(line)]);
      if (row === undefined) continue;
      this.found.push(row);
      this.#unwritten.push(Buffer.from(line));
      this.#bytes += Buffer.byteLength(line);
    }
    if (this.#unwritten.length > 0) await this.#flush();
  }

  /** Resolves when the bucket has all lines. Does nothing if the data is in a folder. */
  async give(): Promise<void> {
    await this.#pieces?.flush();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // If a write has failed, reject all later lines, because the file may end with half a line. The next `open` cuts it
    // off.
    this.#nextWrite ??= this.#tail = this.#tail.then(() => this.#write());
    return this.#nextWrite.catch((error: unknown) => {
      throw asDiskError(error, this.#file);
    });
  }

  /** Writes all waiting lines in one write, because each write has a fixed cost. */
  #write(): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#nextWrite = undefined;
    return this.#handle.appendFile(Buffer.concat(lines));
  }

  /** Resolves when all appended lines are on disk and safe from a power failure. Rejects if the file was removed. */
  sync(): Promise<void> {
    if (this.#unwritten.length > 0) void this.#flush().catch(() => undefined);
    this.#tail = this.#tail.then(() => this.#syncFile());
    return this.#tail.catch((error: unknown) => {
      throw asDiskError(error, this.#file);
    });
  }

  async #syncFile(): Promise<void> {
    await this.#handle.datasync();
    this.assertKept();
  }

  /** @throws Error if the file was removed or moved: its rows are landed, or will be landed under another name */
  assertKept(): void {
    if (!existsSync(this.#file)) throw new Error(`${this.#file} was removed while it was written.`);
  }

  /** Writes the lines that wait, then closes the file. */
  async close(): Promise<void> {
    if (this.#unwritten.length > 0) await this.#flush().catch(() => undefined);
    await this.#tail.catch(() => undefined);
    // Lines that cannot be given are fetched again, if another machine continues the chunk.
    await this.give().catch(() => undefined);
    await this.#handle.close();
  }

  /** Closes and removes the spool. Call this when the rows are in a committed part. */
  async discard(): Promise<void> {
    clearTimeout(this.#timer);
    this.#unwritten = [];
    await this.#tail.catch(() => undefined);
    await this.#handle.close();
    await this.#pieces?.stop();
    if (this.#copy !== undefined) await dropPieces(this.#copy, this.#file);
    // Another attempt may have committed the chunk and removed the spool.
    await rm(this.#file, { force: true });
  }
}

/**
 * Reads the complete lines of an earlier attempt. After a kill, a full disk or a power failure, a line may be
 * incomplete. Cuts the file off before the first such line, so that new lines can follow. The run fetches the lost
 * responses again.
 */
async function recover(file: string): Promise<LandedRow[]> {
  if (!existsSync(file)) return [];
  const rows: LandedRow[] = [];
  let whole = 0;
  for await (const { row, end } of readSpool(file)) {
    if (row === undefined) break;
    rows.push(row);
    whole = end;
  }
  if (whole < statSync(file).size) truncateSync(file, whole);
  return rows;
}

/** One line of a spool. */
export interface SpoolLine {
  /** Undefined if the line is incomplete or is not a row. */
  row: LandedRow | undefined;
  /** `bytes` is the length of this line. `end` is the position in the file after this line. */
  bytes: number;
  end: number;
}

// Longest line in bytes. Responses are much shorter, and a JavaScript string cannot be much longer.
const MOST_LINE_BYTES = 256 * 2 ** 20;
const READ_BYTES = 2 ** 20;

/**
 * Reads a spool of any size line by line, with one line in memory at a time. A last line without a line break counts as
 * incomplete.
 */
export async function* readSpool(file: string, mostLineBytes = MOST_LINE_BYTES): AsyncGenerator<SpoolLine> {
  let line: Buffer[] = [];
  let bytes = 0;
  let end = 0;
  for await (const data of createReadStream(file, { highWaterMark: READ_BYTES })) {
    const chunk = data as Buffer;
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      line.push(chunk.subarray(from, at));
      bytes += at + 1 - from;
      end += bytes;
      yield { row: bytes > mostLineBytes ? undefined : parseRow(line), bytes, end };
      line = [];
      bytes = 0;
      from = at + 1;
    }
    bytes += chunk.length - from;
    if (bytes <= mostLineBytes) line.push(chunk.subarray(from));
    else line = [];
  }
  if (bytes > 0) yield { row: undefined, bytes, end: end + bytes };
}

function parseRow(line: Buffer[]): LandedRow | undefined {
  try {
    const row = JSON.parse(Buffer.concat(line).toString('utf8')) as LandedRow | null;
    return typeof row?.body === 'string' ? row : undefined;
  } catch {
    return undefined;
  }
}
