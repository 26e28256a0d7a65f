import { createReadStream, existsSync, statSync, truncateSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { asDiskFull, makeFolder } from '../core/files.js';

/**
 * Responses of one chunk as they come, a JSON line each. It is what a killed worker's successor goes on from: a
 * `kill -9` loses only requests still in flight, and parts can be large without being landed late.
 */
export class Spool {
  /** Rows already here when it was opened: the work of an earlier attempt. */
  readonly found: LandedRow[];
  readonly #file: string;
  readonly #handle: FileHandle;
  #tail: Promise<void> = Promise.resolve();
  #unwritten: Buffer[] = [];
  #nextWrite: Promise<void> | undefined;
  #bytes: number;

  private constructor(file: string, handle: FileHandle, found: LandedRow[]) {
    this.#file = file;
    this.#handle = handle;
    this.#bytes = statSync(file).size;
    this.found = found;
  }

  static async open(file: string): Promise<Spool> {
    await makeFolder(path.dirname(file));
    const found = await recover(file);
    return new Spool(file, await open(file, 'a'), found);
  }

  /** Bytes of all lines. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves once the line is handed to the operating system (it survives the process, not a power cut). */
  append(row: LandedRow): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.#bytes += line.byteLength;
    this.#unwritten.push(line);
    // After a failure nothing more: the disk may have taken half a line, which is cut off when this is opened again.
    this.#nextWrite ??= this.#tail = this.#tail.then(() => this.#write());
    return this.#nextWrite.catch((error: unknown) => {
      throw asDiskFull(error, this.#file);
    });
  }

  /** Writes all lines that came while the write before was under way: one write costs more than another line. */
  #write(): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#nextWrite = undefined;
    return this.#handle.appendFile(Buffer.concat(lines));
  }

  /** Resolves once everything appended is on disk, power cut or not. Fails when the file was removed meanwhile. */
  sync(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#syncFile());
    return this.#tail.catch((error: unknown) => {
      throw asDiskFull(error, this.#file);
    });
  }

  async #syncFile(): Promise<void> {
    await this.#handle.datasync();
    if (!existsSync(this.#file)) throw new Error(`${this.#file} was removed while it was written.`);
  }

  async close(): Promise<void> {
    await this.#tail.catch(() => undefined);
    await this.#handle.close();
  }

  /** Closes and removes it: its rows are in a committed part now. */
  async discard(): Promise<void> {
    await this.close();
    // Another attempt at the chunk may have removed it: then it was committed there.
    await rm(this.#file, { force: true });
  }
}

/**
 * Whole lines of an earlier attempt. It is cut off at the first that is torn (a kill, a full disk, a power cut), so that
 * appending goes on cleanly; what came after is fetched again.
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

export interface SpoolLine {
  /** Undefined when the line is torn. */
  row: LandedRow | undefined;
  /** Bytes of the line, and of the file up to its end. */
  bytes: number;
  end: number;
}

// More than any response has; a line may be no longer than a text may be.
const MOST_LINE_BYTES = 256 * 2 ** 20;
const READ_BYTES = 2 ** 20;

/** Reads a spool of any size line by line, in the memory of one line. A last line without its end counts as torn. */
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
