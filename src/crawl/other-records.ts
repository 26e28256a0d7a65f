import type { LandedRow, LandingStream } from '../../schemas/pipeline/landing.js';
import { readPartRows, recentParts } from '../landing/index.js';

// Enough to meet one with an answer; a part holds up to a chunk.
const PARTS_LOOKED_AT = 5;

/** Whether a landed row is what the API answers to a key that may ask: a record, or that it is gone. */
export function isAnswered({ status, segment, entity_id }: LandedRow): boolean {
  return entity_id !== null && segment !== 'failed' && ((status >= 200 && status < 300) || status === 404);
}

/** An entity of a stream that the API answered, in this run or before; null where none is found among the latest parts. */
export function findAnswered(dataDir: string, stream: LandingStream, but: ReadonlySet<string>): string | null {
  let looked = 0;
  for (const part of recentParts(dataDir, stream)) {
    if (++looked > PARTS_LOOKED_AT) return null;
    const row = rowsOf(part).find((landed) => isAnswered(landed) && !but.has(landed.entity_id ?? ''));
    if (row) return row.entity_id;
  }
  return null;
}

function rowsOf(part: Parameters<typeof readPartRows>[0]): LandedRow[] {
  try {
    return readPartRows(part);
  } catch {
    // A damaged part is told of when it is loaded.
    return [];
  }
}
