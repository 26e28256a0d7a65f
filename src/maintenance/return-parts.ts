import { unprovenFile } from '../store/data-folder.js';
import { withMemory } from '../warehouse/duckdb/in-memory.js';
import { listQuarantine, returnPart, type LandedPart } from '../landing/index.js';
import { findPartFault } from '../warehouse/load/part-check.js';
import { readForgotten, refreshForgotten } from '../privacy/forgotten.js';
import { partFile } from './forget/answers.js';
import type { Data } from '../store/data.js';

/**
 * Returns the parts in quarantine whose files are sound. As with all answers that are landed, people who were forgotten
 * meanwhile are left out. The caller holds the lock of `whileNobodyReplays`.
 * @returns the returned parts, as they were in quarantine
 * @throws TidemarkError `InvalidConfig` when the list of forgotten people cannot be read
 */
export async function returnParts(data: Data): Promise<LandedPart[]> {
  const { dataDir } = data;
  const back: LandedPart[] = [];
  for (const part of await listQuarantine(data)) {
    const { kept } = part;
    if (kept === undefined || (await findPartFault({ ...part, file: kept })) !== undefined) continue;
    await returnPart(data, { ...part, kept }, async (whole) => {
      await refreshForgotten(data, whole.stream);
      const forgotten = readForgotten(dataDir);
      if (forgotten === undefined) return false;
      const changed = await withMemory(unprovenFile(dataDir), (db) =>
        partFile(db, data, whole).rewrite((stream, row) => forgotten.strip(stream, row)),
      );
      return changed > 0;
    });
    back.push(part);
  }
  return back;
}
