import { chmodSync, constants } from 'node:fs';
import { copyFile, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { DamagedFileError } from '../../store/disk-errors.js';
import { readInto } from '../../store/files.js';

/** Paths of the warehouse files that this process has open in DuckDB now. */
export const openInDuckDb = new Set<string>();

const PIECE = 4 * 2 ** 20;

/**
 * Copies a DuckDB file that this process has closed, then compares both files byte by byte. File systems that can share
 * blocks between files copy at once. The copy can be read and written by its owner only.
 *
 * Never copy the file while this process has it open in DuckDB. DuckDB locks the file with `fcntl`. If a process closes
 * any handle of a file, the system releases all its locks of the file, also those that belong to another handle. After
 * such a copy, another process could open the file for writing, too. Readers of a copy made during a write would also
 * see half of a transaction.
 * @throws DamagedFileError when the copy has other bytes
 */
export async function copyClosed(from: string, to: string): Promise<void> {
  if (openInDuckDb.has(path.resolve(from))) throw new Error(`${from} is open. Close it before the copy.`);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
  if (!(await haveSameBytes(from, to)))
    throw new DamagedFileError(to, new Error(`The copy of ${from} has other bytes.`));
}

/** Whether two files have the same bytes. */
export function haveSameBytes(left: string, right: string): Promise<boolean> {
  return withFile(left, (a) =>
    withFile(right, async (b) => {
      // New buffers for each piece would cost more CPU time, to collect them, than the comparison.
      const [inA, inB] = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)];
      for (let at = 0; ; at += PIECE) {
        const piece = await readInto(inA, a, at);
        if (!piece.equals(await readInto(inB, b, at))) return false;
        if (piece.length < PIECE) return true;
      }
    }),
  );
}

async function withFile<T>(name: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(name);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
