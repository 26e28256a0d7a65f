import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { ValueFinder } from '../../privacy/value-finder.js';

/*
 * A SQLite file cuts a long record into a cell and a chain of overflow pages, and a value may be cut there. This search
 * puts such records together again (SQLite, "Database File Format"). A search of the bytes finds everything else.
 */

const LEAF_TABLE = 0x0d;
const INDEX_PAGES: ReadonlySet<number> = new Set([0x02, 0x0a]);
const WAL_HEADER = 32;
const FRAME_HEADER = 24;
// Longer records are cut: SQLite itself allows one billion bytes.
const MOST_BYTES = 256 * 2 ** 20;

/** Searches the records of a SQLite file that have overflow pages. Pages in its write-ahead log replace those of the file. */
export async function searchSqlite(file: string, finder: ValueFinder, found: Set<string>): Promise<void> {
  const handle = await open(file, 'r');
  const log = existsSync(`${file}-wal`) ? await open(`${file}-wal`, 'r') : undefined;
  try {
    const pages = await Pages.of(handle, log);
    for (let number = 1; number <= pages.count; number++) {
      const page = await pages.read(number);
      for (const cell of cellsOf(page, number === 1 ? 100 : 0, pages.usable)) {
        finder.find(await wholeRecord(pages, cell), found);
      }
    }
  } finally {
    await handle.close();
    await log?.close();
  }
}

/** The pages of a SQLite file, numbered from 1. */
class Pages {
  private constructor(
    readonly count: number,
    /** Bytes of a page that hold content. */
    readonly usable: number,
    readonly read: (number: number) => Promise<Buffer>,
  ) {}

  static async of(file: FileHandle, log: FileHandle | undefined): Promise<Pages> {
    const head = await bytesAt(file, 0, 100);
    const size = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
    const inLog = new Map<number, number>();
    const frame = FRAME_HEADER + size;
    const frames = log === undefined ? 0 : Math.floor(((await log.stat()).size - WAL_HEADER) / frame);
    for (let at = WAL_HEADER, i = 0; i < frames; i++, at += frame) {
      inLog.set((await bytesAt(log as FileHandle, at, 4)).readUInt32BE(0), at + FRAME_HEADER);
    }
    const count = Math.max(Math.floor((await file.stat()).size / size), ...inLog.keys());
    return new Pages(count, size - head.readUInt8(20), async (number) => {
      const at = inLog.get(number);
      return at === undefined ? bytesAt(file, (number - 1) * size, size) : bytesAt(log as FileHandle, at, size);
    });
  }
}

/** A record with overflow pages: its length, its first bytes, and the number of the next page. */
interface Cell {
  length: number;
  start: Buffer;
  next: number;
}

function* cellsOf(page: Buffer, head: number, usable: number): Generator<Cell> {
  const kind = page[head] ?? 0;
  const isTable = kind === LEAF_TABLE;
  if (!isTable && !INDEX_PAGES.has(kind)) return;
  const pointers = head + (kind === 0x02 ? 12 : 8);
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  for (let i = 0; i < page.readUInt16BE(head + 3) && pointers + 2 * i + 2 <= page.length; i++) {
    const [afterLength, length] = varint(page, page.readUInt16BE(pointers + 2 * i) + (kind === 0x02 ? 4 : 0));
    const at = isTable ? varint(page, afterLength)[0] : afterLength;
    if (length <= most) continue;
    const fitting = least + ((length - least) % (usable - 4));
    const end = at + (fitting <= most ? fitting : least);
    // A free page may hold the rest of an old one.
    if (end + 4 <= page.length) yield { length, start: page.subarray(at, end), next: page.readUInt32BE(end) };
  }
}

async function wholeRecord(pages: Pages, { length, start, next }: Cell): Promise<Buffer> {
  const pieces = [start];
  const most = Math.min(length, MOST_BYTES);
  for (let size = start.length; size < most && next > 0 && next <= pages.count;) {
    const page = await pages.read(next);
    pieces.push(page.subarray(4, pages.usable));
    size += pages.usable - 4;
    next = page.length < 4 ? 0 : page.readUInt32BE(0);
  }
  return Buffer.concat(pieces);
}

/** Reads a number of one to nine bytes. Returns the position after it, and the number. */
function varint(page: Buffer, start: number): [at: number, value: number] {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = page[start + i] ?? 0;
    if (i === 8) return [start + 9, value * 256 + byte];
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [start + i + 1, value];
  }
  return [start, value];
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
