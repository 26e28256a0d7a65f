import { statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { errorMessage, TidemarkError } from '../../base/errors.js';

/*
 * Limits the memory of DuckDB. Without a limit, DuckDB takes up to 80 % of the machine, although it needs much less:
 * above the limit, it writes temporary files. `TIDEMARK_WAREHOUSE_MEMORY` sets the limit. Otherwise the limit follows
 * the size of the warehouse and the number of threads.
 */

export const MEBIBYTE = 2 ** 20;
// Each thread of DuckDB has its own buffers.
const BYTES_PER_THREAD = 96 * MEBIBYTE;
// Part of the warehouse file that DuckDB can keep in memory, in addition to the buffers of the threads.
const SHARE_OF_FILE = 0.35;
const SHARE_OF_MACHINE = 0.8;

/** Each time DuckDB runs out of memory, this factor doubles. It multiplies the limit that follows the size. */
let raised = 1;

/**
 * Returns the memory limit for a DuckDB file, as DuckDB reads it.
 * @throws TidemarkError `InvalidConfig` for an invalid size in `TIDEMARK_WAREHOUSE_MEMORY`
 */
export function memoryLimit(file: string): string {
  const given = givenLimit();
  if (given !== undefined) return given;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const wanted = (BYTES_PER_THREAD * Math.max(2, threads()) + SHARE_OF_FILE * size) * raised;
  return `${Math.floor(Math.min(wanted, mostBytes()) / MEBIBYTE)}MiB`;
}

/**
 * DuckDB reached its memory limit. The constructor doubles the limit for the next attempt, and the error is retryable.
 * If `TIDEMARK_WAREHOUSE_MEMORY` sets the limit, or the limit of the machine is reached, the error is not retryable.
 */
export class OutOfMemoryError extends TidemarkError {
  /** @param cause DuckDB's error, whose message names the limit */
  constructor(file: string, cause: unknown) {
    const limit = /\/([\d.]+ [KMGT]?i?B) used/.exec(errorMessage(cause))?.[1];
    const chosen = givenLimit() !== undefined;
    const larger = !chosen && raiseLimit(file);
    const set = 'Set TIDEMARK_WAREHOUSE_MEMORY to a larger size, such as 4GB';
    super(
      'ModelFailed',
      `DuckDB reached its memory limit${limit === undefined ? '' : ` of ${limit}`} while it worked on ${file}.`,
      {
        todo: larger
          ? `A worker tries again by itself, with twice as much memory. For a command, do this: ${set}.`
          : `${set}${chosen ? '' : ', on a machine with more memory'}. Then start the worker and the run again.`,
        retryable: larger,
        cause,
      },
    );
  }
}

/** Doubles the limit that follows the size. Returns false if it has reached the limit of the machine. */
function raiseLimit(file: string): boolean {
  const before = memoryLimit(file);
  raised *= 2;
  return memoryLimit(file) !== before;
}

/** Returns the number of threads that `TIDEMARK_WAREHOUSE_THREADS` sets; undefined if it is not set. */
export function givenThreads(): string | undefined {
  const text = process.env['TIDEMARK_WAREHOUSE_THREADS'];
  if (text === undefined || text === '') return undefined;
  if (/^[1-9]\d{0,2}$/.test(text)) return text;
  throw new TidemarkError('InvalidConfig', `TIDEMARK_WAREHOUSE_THREADS is not a valid number: "${text}".`, {
    todo: 'Give the number of cores that the warehouse may use, from 1 to 999.',
  });
}

function givenLimit(): string | undefined {
  const text = process.env['TIDEMARK_WAREHOUSE_MEMORY'];
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)? ?[KMGT]i?B$/i.test(text)) return text;
  throw new TidemarkError('InvalidConfig', `TIDEMARK_WAREHOUSE_MEMORY is not a valid size: "${text}".`, {
    todo: 'Give a size like 1000MB or 4GB. Queries that need more memory use temporary files.',
  });
}

function threads(): number {
  return Number(givenThreads() ?? availableParallelism());
}

/** Most memory that the limit may reach by itself. In a container, its memory limit counts. */
function mostBytes(): number {
  const machine = totalmem();
  const allowed = process.constrainedMemory() ?? 0;
  return SHARE_OF_MACHINE * (allowed > 0 && allowed < machine ? allowed : machine);
}
