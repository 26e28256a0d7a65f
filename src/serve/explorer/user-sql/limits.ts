import { totalmem } from 'node:os';
import { MEBIBYTE } from '../../../warehouse/duckdb/memory-limit.js';

/*
 * The limits of queries that people write in the explorer. Each limit names itself in the answer when it is reached.
 */

/** Longest query text, in characters. */
export const MAX_TEXT = 200_000;
/** Most rows of an answer, and the number if the request names none. An export has no such limit. */
export const MAX_ROWS = 50_000;
export const DEFAULT_ROWS = 1_000;
/** Longest time of a query or an export in seconds, and the time if the request names none. */
export const MAX_SECONDS = 600;
export const DEFAULT_SECONDS = 30;
/** Longest value of an answer, in characters. The rest is cut, which the value says. */
export const MAX_CELL = 20_000;
/** Largest answer, in characters of JSON, about: a browser could not show more. */
export const MAX_ANSWER = 32_000_000;
/** Largest export, in bytes. */
export const MAX_EXPORT = 4 * 1024 * MEBIBYTE;
/** Queries that run at the same time. Together, they use at most half of the memory of a machine with 4 GiB or more. */
export const MAX_RUNNING = 4;
/** Most bytes that the temporary files of one query may have. */
export const MAX_SPILL = 4 * 1024 * MEBIBYTE;
/** Most memory of the process of one query, in bytes: an eighth of the machine, but between 512 MiB and 2 GiB. */
export const MAX_MEMORY = Math.min(2048 * MEBIBYTE, Math.max(512 * MEBIBYTE, Math.floor(totalmem() / 8)));
/**
 * Memory limit of DuckDB, in bytes. It is lower than MAX_MEMORY, because DuckDB does not count all its memory. Long texts
 * that a query makes are not counted, for example.
 */
export const DUCKDB_MEMORY = MAX_MEMORY / 2;
