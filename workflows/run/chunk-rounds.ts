import type { ChunkResult } from '../../schemas/pipeline/activities.js';
import type { ChunkRound } from '../../schemas/pipeline/carried.js';

// Fetch two chunks at the same time: while one lands its part, the other keeps sending requests. The worker answers the
// requests of the earlier chunk first (src/crawl/chunks/chunk-order.ts), so the two chunks end at different times.
const CHUNKS_AT_ONCE = 2;

/** Chunks to fetch at the same time, with the limits of each. */
export interface SharedRound extends ChunkRound {
  /** Limit of requests in flight for each chunk. Null: the configured number. */
  concurrency: (number | null)[];
  /** Number of requests that each chunk may send. Null: no limit. */
  budget: number | null;
}

/**
 * Returns the next chunks to fetch.
 * @param at first chunk that is not done, and chunks to repeat, if any
 * @param asked requests in flight that an operator set for all chunks together; null: the configured number
 * @param room number of requests that the run may send; null: no limit
 */
export function nextRound(
  at: { nextChunk: number; again: ChunkRound | null },
  chunks: number,
  asked: number | null,
  room: number | null,
): SharedRound {
  const round = at.again ?? firstTry(at.nextChunk, chunks, asked);
  const count = round.chunks.length;
  const concurrency = round.chunks.map((_, i) => (asked === null ? null : Math.floor((asked + i) / count)));
  return { ...round, concurrency, budget: room === null ? null : Math.ceil(room / count) };
}

function firstTry(first: number, chunks: number, asked: number | null): ChunkRound {
  const count = Math.min(CHUNKS_AT_ONCE, chunks - first, asked ?? CHUNKS_AT_ONCE);
  return { chunks: Array.from({ length: count }, (_, i) => first + i), next: first + count };
}

/**
 * Returns how many requests a chunk may send beside the chunks in progress. Null: no limit.
 * @param budgets numbers of requests that the chunks in progress may send
 * @param room number of requests that the run may send; null: no limit
 */
export function roomBeside(budgets: readonly (number | null)[], room: number | null): number | null {
  if (room === null) return null;
  return Math.max(0, room - budgets.reduce<number>((sum, budget) => sum + (budget ?? 0), 0));
}

/**
 * Returns the chunks to fetch once more, or null. A chunk ends `closed` when the API refuses its route. If the API
 * answered another chunk of the round, the closed chunk runs once more. This time, the chunk requests a record that the
 * API has already answered. The answer shows whether the API refuses the whole route or only single records.
 */
export function repeatOf(
  round: ChunkRound,
  again: ChunkRound | null,
  results: readonly (Pick<ChunkResult, 'closed'> & { chunk: number })[],
): ChunkRound | null {
  const closed = results.filter((result) => result.closed);
  if (again !== null || closed.length === results.length || closed.every((result) => result.closed?.sure)) return null;
  return { chunks: closed.map(({ chunk }) => chunk), next: round.next };
}
