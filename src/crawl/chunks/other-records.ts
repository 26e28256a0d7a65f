import type { LandedRow, LandingStream } from '../../../schemas/pipeline/landing.js';
import { readPartRows, recentParts } from '../../landing/index.js';

// Search at most this many of the latest parts for a record that the API answered.
const PARTS_LOOKED_AT = 5;

/** Whether a landed row shows that the API key may use the route. A record or a 404 shows this. */
export function isAnswered({ status, segment, entity_id }: LandedRow): boolean {
  return entity_id !== null && segment !== 'failed' && ((status >= 200 && status < 300) || status === 404);
}

/**
 * Finds an entity of a stream that the API answered in this run or an earlier one. Searches only the latest parts.
 * @param but entities to skip
 * @returns the entity's id; null when none is found
 */
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
    // Skip a damaged part, because the load reports the damage.
    return [];
  }
}
