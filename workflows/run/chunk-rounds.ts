import type { ChunkResult } from '../../schemas/pipeline/activities.js';
import type { ChunkRound } from '../../schemas/pipeline/carried.js';
import { CHUNKS_OF_WORKER } from '../queues.js';

/** Chunks to fetch at the same time, with the limits of each. */
export interface SharedRound extends ChunkRound {
  /** Limit of requests in flight for each chunk. Null: the configured number. */
  concurrency: (number | null)[];
  /** Number of requests that each chunk may send. Null: no limit. */
  budgets: (number | null)[];
}

/** Limits of a round of chunks. */
export interface RoundLimits {
  /** Requests in flight that an operator set for all chunks together; null: the configured number. */
  asked: number | null;
  /** Number of requests that the run may send; null: no limit. */
  room: number | null;
  /** Number of workers that fetch chunks. */
  workers: number;
}

/**
 * Returns the next chunks to fetch.
 * @param at first chunk that is not done, and chunks to repeat, if any
 * @param chunks number of all chunks
 */
export function nextRound(
  at: { nextChunk: number; again: ChunkRound | null },
  chunks: number,
  limits: RoundLimits,
): SharedRound {
  const { asked, room } = limits;
  const round = at.again ?? firstTry(at.nextChunk, chunks, limits);
  const count = round.chunks.length;
  const divided = (total: number | null): (number | null)[] =>
    round.chunks.map((_, i) => (total === null ? null : Math.floor((total + i) / count)));
  return {
    ...round,
    concurrency: divided(asked),
    budgets: divided(room).map((budget) => (budget === 0 ? 1 : budget)),
  };
}

function firstTry(first: number, chunks: number, { asked, room, workers }: RoundLimits): ChunkRound {
  const most = Math.min(chunks - first, asked ?? Infinity);
  const count = Math.min(chunksAtOnce(workers), most, Math.max(1, room ?? Infinity));
  return { chunks: Array.from({ length: count }, (_, i) => first + i), next: first + count };
}

/** Returns how many chunks a run fetches at the same time. */
export function chunksAtOnce(workers: number): number {
  return CHUNKS_OF_WORKER * workers;
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
