import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { findReplacing } from './manifest.js';
import { PartWriter, writePart } from './part-writer.js';
import { runFolder, spoolFile, type PartTarget } from './paths.js';
import { readSpool } from './spool.js';

/** How much one part holds at most; a single row may be larger. */
export interface SpoolLimits {
  rows: number;
  bytes: number;
}

/** A part is made in memory, from about this much of a spool. */
export const SPOOL_LIMITS: SpoolLimits = { rows: 1_000, bytes: 32 * 2 ** 20 };

/**
 * Lands a spool of any size as parts of bounded size, then removes it. It reads the spool as a stream. Interrupted or done
 * by two at once, it lands each row once: a part is named by its first row, and a committed part says how many follow.
 * Torn lines are left out.
 * @param goesOn Called before each part is written, and before the spool is removed; what it throws ends the work
 * @returns rows that are landed now
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
    await rm(spool, { force: true });
    return pass.rows;
  }
}

interface Pass {
  rows: number;
  /** Another process committed a part of other size meanwhile: read again from the start, to go on after that part. */
  raced: boolean;
}

async function landFrom(target: PartTarget, spool: string, limits: SpoolLimits, goesOn: () => void): Promise<Pass> {
  if (!existsSync(spool)) return { rows: 0, raced: false };
  let row = 0;
  let skipUntil = countCommitted(target, 0);
  let rows: LandedRow[] = [];
  let bytes = 0;
  const flush = async (): Promise<boolean> => {
    if (rows.length === 0) return true;
    goesOn();
    const part = await writePart(partOf(target, row - rows.length), rows);
    const isOurs = part?.rows === rows.length;
    rows = [];
    bytes = 0;
    return isOurs;
  };
  for await (const line of readSpool(spool)) {
    if (line.row === undefined) continue;
    const isFull = rows.length >= limits.rows || bytes + line.bytes > limits.bytes;
    if (isFull && !(await flush())) return { rows: row, raced: true };
    if (rows.length === 0 && row >= skipUntil) skipUntil = row + countCommitted(target, row);
    if (row++ < skipUntil) continue;
    rows.push(line.row);
    bytes += line.bytes;
  }
  return (await flush()) ? { rows: row, raced: false } : { rows: row, raced: true };
}

/**
 * Part of a spool that begins with this row. The first has the chunk's own name, as the only part of a small spool; the
 * names of the others sort after it.
 */
function partOf(target: PartTarget, row: number): PartTarget {
  return row === 0 ? target : { ...target, chunk: `${target.chunk}.row${String(row).padStart(9, '0')}` };
}

/** Rows of the part that begins with this row; 0 when it is not committed. */
function countCommitted(target: PartTarget, row: number): number {
  const part = partOf(target, row);
  const committed = PartWriter.committed(part);
  if (committed) return committed.rows;
  // Parts are joined only once the spool was removed, so all of it is landed: this file came back after a power cut.
  return findReplacing(runFolder(part), part.chunk) === undefined ? 0 : Infinity;
}
