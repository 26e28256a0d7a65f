import type { ChunkResult, ChunkRound } from '../schemas/pipeline/crawl.js';

// Two chunks overlap, so that one's end (landing its part) does not leave the API idle. The client bounds requests.
const CHUNKS_AT_ONCE = 2;

/** A round with what its chunks share: requests in flight of each (null: as configured) and requests each may send. */
export interface SharedRound extends ChunkRound {
  concurrency: (number | null)[];
  budget: number | null;
}

/**
 * The chunks to fetch next.
 * @param at first chunk not done, and the round to repeat, if any
 * @param asked requests in flight that an operator asked for; all chunks together stay within it
 * @param room requests the run may send; null: any number
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
 * Chunks to fetch once more, or null. A chunk without any answer may be refused for good; where another chunk of the
 * round was answered, its record is there to compare with.
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
