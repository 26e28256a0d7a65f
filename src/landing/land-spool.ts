import { existsSync } from 'node:fs';
import { runFolder } from '../store/data-folder.js';
import type { Frame } from './frames.js';
import { findReplacing } from './manifest.js';
import { PartWriter, writePart } from './part-writer.js';
import { removeSpool } from './pieces.js';
import { spoolFile, type PartTarget } from './paths.js';
import { readSpool } from './spool.js';

/** Upper limits of one part. Only a part with a single row may exceed them. */
export interface SpoolLimits {
  rows: number;
  bytes: number;
}

/**
 * Default limits: 1,000 rows, or 32 MiB in the spool. A part is encoded in memory, so these limits also limit the
 * memory that is needed.
 */
export const SPOOL_LIMITS: SpoolLimits = { rows: 1_000, bytes: 32 * 2 ** 20 };

/**
 * Lands a spool of any size as parts of limited size, then removes the spool. Skips incomplete and damaged frames. Lands
 * each row once, even if the work is interrupted, or runs twice at the same time: the name of a part contains the number
 * of its first row, and its manifest states its number of rows.
 * @param goesOn called before each part is written and before the spool is removed; may throw to stop the work
 * @returns the number of rows of the spool that are now landed
 */
export async function landSpool(
  target: PartTarget,
  { limits = SPOOL_LIMITS, goesOn = () => undefined }: { limits?: SpoolLimits | undefined; goesOn?: () => void } = {},
): Promise<number> {
  const spool = spoolFile(runFolder(target), target.chunk);
  for (;;) {
    const pass = await landFrom(target, spool, limits, goesOn);
    if (pass.raced) continue;
    goesOn();
    await removeSpool(target.data, spool);
    return pass.rows;
  }
}

interface Pass {
  rows: number;
  /**
   * Whether another process has just committed the same part with another number of rows. The caller then reads the
   * spool again and continues after that part.
   */
  raced: boolean;
}

async function landFrom(target: PartTarget, spool: string, limits: SpoolLimits, goesOn: () => void): Promise<Pass> {
  if (!existsSync(spool)) return { rows: 0, raced: false };
  let row = 0;
  let skipUntil = await countCommitted(target, 0);
  let frames: Frame[] = [];
  let bytes = 0;
  let before = 0;
  const flush = async (): Promise<boolean> => {
    if (frames.length === 0) return true;
    goesOn();
    const part = await writePart(partOf(target, row - frames.length), frames);
    const isOurs = part?.rows === frames.length;
    frames = [];
    bytes = 0;
    return isOurs;
  };
  for await (const frame of readSpool(spool)) {
    const size = frame.end - before;
    before = frame.end;
    const isFull = frames.length >= limits.rows || bytes + size > limits.bytes;
    if (isFull && !(await flush())) return { rows: row, raced: true };
    if (frames.length === 0 && row >= skipUntil) skipUntil = row + (await countCommitted(target, row));
    if (row++ < skipUntil) continue;
    frames.push(frame);
    bytes += size;
  }
  return (await flush()) ? { rows: row, raced: false } : { rows: row, raced: true };
}

/**
 * Returns the part that begins with this row of the spool. The first part has the chunk's own name. Later parts have
 * names that sort after it.
 */
function partOf(target: PartTarget, row: number): PartTarget {
  return row === 0 ? target : { ...target, chunk: `${target.chunk}.row${String(row).padStart(9, '0')}` };
}

/**
 * Finds the committed part that begins with this row of the spool, and returns the part's number of rows.
 * @returns 0 when there is no such part; Infinity when compaction has joined it with other parts
 */
async function countCommitted(target: PartTarget, row: number): Promise<number> {
  const part = partOf(target, row);
  const committed = await PartWriter.committed(part);
  if (committed) return committed.rows;
  // Compaction joins parts only after their spool was removed. So all rows are landed already, and the spool exists
  // again only because the power failed.
  return findReplacing(runFolder(part), part.chunk) === undefined ? 0 : Infinity;
}
