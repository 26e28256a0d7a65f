import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { writeFileOnce } from '../store/files.js';
import { WorkingCopy } from '../store/working-copy/working-copy.js';
import type { Data } from '../store/data.js';

/*
 * With the data in a bucket, a spool stays on its machine, and its lines are given to the bucket in pieces. If the
 * machine is lost, another one continues the chunk from the pieces. A piece never changes. Its key is
 * `<spool>.pieces/<writer>-<number>.ndjson`.
 */

/** Give a piece when this many lines wait. */
const PIECE_LINES = 12;
/**
 * At most this many lines are not in the bucket yet. One of several workers has up to two chunks in progress. With up to
 * 16 requests in flight, at most 64 requests are repeated after its machine is lost.
 */
const MOST_WAITING = 24;

/** Gives the lines of one spool in pieces. */
export class Pieces {
  readonly #copy: WorkingCopy;
  readonly #folder: string;
  // The time puts the pieces of a later writer last.
  readonly #writer = `${Date.now()}-${randomUUID().slice(0, 8)}`;
  #waiting: Buffer[] = [];
  #inFlight = 0;
  #number = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(copy: WorkingCopy, spool: string) {
    this.#copy = copy;
    this.#folder = copy.keyOf(piecesDir(spool));
  }

  /**
   * Adds a line.
   * @returns a promise if too many lines wait; it resolves when the bucket has them
   */
  add(line: Buffer): Promise<void> | undefined {
    this.#waiting.push(line);
    if (this.#waiting.length >= PIECE_LINES) this.#send();
    return this.#waiting.length + this.#inFlight >= MOST_WAITING ? this.#tail : undefined;
  }

  /** Resolves when the bucket has all lines. */
  async flush(): Promise<void> {
    this.#send();
    await this.#tail;
  }

  async #give(before: Promise<void>, key: string, lines: Buffer[]): Promise<void> {
    await before;
    await this.#copy.storage.create(key, Buffer.concat(lines));
    this.#inFlight -= lines.length;
  }

  /** Gives no more lines, and waits for the piece in flight. */
  async stop(): Promise<void> {
    this.#waiting = [];
    await this.#tail.catch(() => undefined);
  }

  #send(): void {
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#inFlight += lines.length;
    const key = `${this.#folder}/${this.#writer}-${String(this.#number++).padStart(6, '0')}.ndjson`;
    // After a failed piece, the spool rejects all later lines. The next attempt gives them again.
    this.#tail = this.#give(this.#tail, key, lines);
    this.#tail.catch(() => undefined);
  }
}

/** Reads the lines of all pieces of a spool, in the order of their writers and numbers. */
export async function readPieces(copy: WorkingCopy, spool: string): Promise<Buffer[]> {
  const bodies = new Map<string, Buffer>();
  const keys = (await copy.listGiven(piecesDir(spool))).map(({ file }) => copy.keyOf(file));
  await copy.all(keys, async (key) => {
    const found = await copy.storage.read(key);
    if (found !== undefined) bodies.set(key, found.body);
  });
  return keys.flatMap((key) => linesOf(bodies.get(key)));
}

/**
 * Makes a spool from the pieces of another machine, if this machine has no such spool. A line that was given twice is
 * there once.
 */
export async function gatherSpool(copy: WorkingCopy, spool: string): Promise<void> {
  const lines = new Set((await readPieces(copy, spool)).map((line) => line.toString('utf8')));
  if (lines.size > 0) await writeFileOnce(spool, [...lines].join(''));
}

/** Removes a spool, here and its pieces in the bucket. */
export async function removeSpool(data: Data, spool: string): Promise<void> {
  await rm(spool, { force: true });
  if (data instanceof WorkingCopy) await dropPieces(data, spool);
}

/** Removes the pieces of a spool, because its rows are landed. */
export async function dropPieces(copy: WorkingCopy, spool: string): Promise<void> {
  await copy.all(await copy.listGiven(piecesDir(spool)), async ({ file }) => copy.storage.remove(copy.keyOf(file)));
}

/** Whether a path names a piece of a spool. */
export function isPiece(file: string): boolean {
  return /\.ndjson\.pieces[\\/][^\\/]+$/.test(file);
}

/** Folder of the pieces of a spool. It exists only in the bucket. */
export function piecesDir(spool: string): string {
  return `${spool}.pieces`;
}

function linesOf(body: Buffer | undefined): Buffer[] {
  if (body === undefined) return [];
  const lines: Buffer[] = [];
  for (let from = 0; from < body.length;) {
    const end = body.indexOf(0x0a, from) + 1;
    if (end === 0) break;
    lines.push(body.subarray(from, end));
    from = end;
  }
  return lines;
}
