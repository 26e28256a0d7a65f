import { existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { asDiskFull } from '../core/files.js';

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

  private constructor(file: string, handle: FileHandle, found: LandedRow[]) {
    this.#file = file;
    this.#handle = handle;
    this.found = found;
  }

  static async open(file: string): Promise<Spool> {
    mkdirSync(path.dirname(file), { recursive: true });
    const found = recover(file);
    return new Spool(file, await open(file, 'a'), found);
  }

  /** Resolves once the line is handed to the operating system (it survives the process, not a power cut). */
  append(row: LandedRow): Promise<void> {
    // After a failure nothing more: the disk may have taken half a line, which is cut off when this is opened again.
    this.#tail = this.#tail.then(() => this.#handle.appendFile(`${JSON.stringify(row)}\n`));
    return this.#tail.catch((error: unknown) => {
      throw asDiskFull(error, this.#file);
    });
  }

  /** Resolves once everything appended is on disk, power cut or not. */
  sync(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#handle.datasync());
    return this.#tail.catch((error: unknown) => {
      throw asDiskFull(error, this.#file);
    });
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
function recover(file: string): LandedRow[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const rows: LandedRow[] = [];
  let from = 0;
  // Line by line: a spool of large bodies is longer than a text may be.
  for (let to = bytes.indexOf(0x0a); to >= 0; to = bytes.indexOf(0x0a, from)) {
    const row = parseRow(bytes.toString('utf8', from, to));
    if (row === undefined) break;
    rows.push(row);
    from = to + 1;
  }
  if (from < bytes.length) truncateSync(file, from);
  return rows;
}

function parseRow(line: string): LandedRow | undefined {
  try {
    return JSON.parse(line) as LandedRow;
  } catch {
    return undefined;
  }
}
