import { chmodSync, constants } from 'node:fs';
import { copyFile, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { DamagedFileError } from '../../store/disk-errors.js';

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
      const [bytesOfA, bytesOfB] = [Buffer.allocUnsafe(PIECE), Buffer.allocUnsafe(PIECE)];
      for (;;) {
        const [pieceOfA, pieceOfB] = [await fill(a, bytesOfA), await fill(b, bytesOfB)];
        if (!pieceOfA.equals(pieceOfB)) return false;
        if (pieceOfA.length === 0) return true;
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

/** Reads the next piece of a file: shorter only at its end. */
async function fill(file: FileHandle, bytes: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
