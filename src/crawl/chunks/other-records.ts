import { UNREAD_PAGES, type LandedRow } from '../../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { pullManifests, pullParts, readPartRows, recentParts } from '../../landing/index.js';
import type { Data } from '../../store/data.js';
import { isRecord } from '../records/answer.js';

// To find a record that the API has answered, search at most this many of the latest parts.
const PARTS_LOOKED_AT = 5;

/** Whether a landed row proves that the API key may use the route. A record proves this, and so does a 404. */
export function isAnswered(row: Omit<LandedRow, 'body'>): boolean {
  return row.entity_id !== null && row.row_kind !== 'failed' && (isRecord(row) || row.status === 404);
}

/** Counts the entities that were filed as failed or read only in part. */
export function countFailed(rows: readonly Omit<LandedRow, 'body'>[]): number {
  const failed = rows.filter((row) => row.row_kind === 'failed' || row.request_key.endsWith(UNREAD_PAGES));
  return new Set(failed.map(({ entity_id }) => entity_id)).size;
}

/**
 * Finds an entity of a stream that the API has answered in this run or an earlier one. Searches only the latest parts.
 * @param but entities to skip
 * @returns the entity's id; null if no such entity was found
 */
export async function findAnswered(
  data: Data,
  stream: LandingStream,
  but: ReadonlySet<string>,
): Promise<string | null> {
  const { dataDir } = data;
  await pullManifests(data, { streams: [stream] });
  let looked = 0;
  for (const part of recentParts(dataDir, stream)) {
    if (++looked > PARTS_LOOKED_AT) return null;
    try {
      await pullParts(data, [part]);
      const row = readPartRows(part).find((landed) => isAnswered(landed) && !but.has(landed.entity_id ?? ''));
      if (row) return row.entity_id;
    } catch {
      // Skip a damaged part here. The load will report the damage.
    }
  }
  return null;
}
