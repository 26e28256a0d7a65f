import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { readBytes } from '../../store/files.js';
import type { ValueFinder } from '../../privacy/value-finder.js';

/*
 * A SQLite file stores the end of a long record in a chain of overflow pages, and a value may be cut there. Each of these
 * pages begins with the number of the next one, and the start of the record ends with the number of the first one
 * (SQLite, "Database File Format"). A search of the bytes finds everything else.
 */

const WAL_HEADER = 32;
const FRAME_HEADER = 24;
// In a smaller file, each overflow page begins with a zero byte. Pages of tables and indexes begin with another byte.
const MOST_PAGES = 2 ** 24;

/**
 * Searches the records of a SQLite file that have overflow pages. Whenever four bytes of a page are the number of an
 * overflow page, joins the bytes before them with that chain. Pages in its write-ahead log replace those of the file.
 * @throws Error if the file has too many pages to recognize overflow pages
 */
export async function searchSqlite(file: string, finder: ValueFinder, found: Set<string>): Promise<void> {
  const handle = await open(file, 'r');
  const log = existsSync(`${file}-wal`) ? await open(`${file}-wal`, 'r') : undefined;
  try {
    const pages = await Pages.of(handle, log);
    if (pages.count >= MOST_PAGES) throw new Error('it has too many pages');
    const next = new Map<number, number>();
    for (let number = 1; number <= pages.count; number++) {
      const page = await pages.read(number);
      if (page.length >= 4 && page[0] === 0) next.set(number, page.readUInt32BE(0));
    }
    for (let number = 1; number <= pages.count; number++) {
      if (next.has(number)) continue;
      const page = await pages.read(number);
      for (let at = 4; at + 4 <= page.length; at++) {
        const overflow = page.readUInt32BE(at);
        if (!next.has(overflow)) continue;
        const start = page.subarray(Math.max(0, at - finder.overlap), at);
        finder.find(Buffer.concat([start, ...(await chainFrom(pages, next, overflow))]), found);
      }
    }
  } finally {
    await handle.close();
    await log?.close();
  }
}

async function chainFrom(pages: Pages, next: ReadonlyMap<number, number>, first: number): Promise<Buffer[]> {
  const chain = new Map<number, Buffer>();
  for (let page = first; next.has(page) && !chain.has(page); page = next.get(page) as number)
    chain.set(page, (await pages.read(page)).subarray(4, pages.usable));
  return [...chain.values()];
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
    const head = await readBytes(file, 0, 100);
    const size = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
    const inLog = new Map<number, number>();
    const frame = FRAME_HEADER + size;
    const frames = log === undefined ? 0 : Math.floor(((await log.stat()).size - WAL_HEADER) / frame);
    for (let at = WAL_HEADER, i = 0; i < frames; i++, at += frame) {
      inLog.set((await readBytes(log as FileHandle, at, 4)).readUInt32BE(0), at + FRAME_HEADER);
    }
    const count = Math.max(Math.floor((await file.stat()).size / size), ...inLog.keys());
    return new Pages(count, size - head.readUInt8(20), async (number) => {
      const at = inLog.get(number);
      return at === undefined ? readBytes(file, (number - 1) * size, size) : readBytes(log as FileHandle, at, size);
    });
  }
}
