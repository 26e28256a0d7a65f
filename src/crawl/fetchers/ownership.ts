import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { OwnershipSettings } from '../../../schemas/pipeline/run.js';
import { rowOf } from '../answer.js';
import { ownersWithoutPersonalData } from '../owners/without-personal-data.js';
import type { Fetcher } from './fetcher.js';

/** Segment of the last threshold's row. Until this row is landed, the company is read again after an interruption. */
const LAST = 'last:';

/** The beneficial owners of a company: one request and one row for each threshold. The segment names the threshold. */
export const ownership: Fetcher = {
  withoutPersonalData: ownersWithoutPersonalData,
  async *fetch(client, { ownership: settings }, id, signal) {
    if (!settings) throw new Error('The run has no settings of the stream ownership.');
    for (const threshold of settings.thresholds) {
      const response = await client.v2.kyb.ubo(id, thresholdParameter(settings, threshold), { signal });
      yield rowOf(response, id, `${threshold === settings.thresholds.at(-1) ? LAST : 'more:'}${threshold}`);
    }
  },
  finished: (rows) => new Set(rows.filter(isLast).map((row) => row.entity_id ?? '')),
};

/** Makes the parameter of a threshold. The reference names none, so the configuration does. */
export function thresholdParameter({ parameter, unit }: OwnershipSettings, percent: number): Record<string, number> {
  // Divide the decimal text, because 33.3 / 100 is not 0.333.
  return { [parameter]: unit === 'percent' ? percent : Number(`${percent}e-2`) };
}

function isLast({ segment, status }: LandedRow): boolean {
  return segment.startsWith(LAST) || status === 404;
}
