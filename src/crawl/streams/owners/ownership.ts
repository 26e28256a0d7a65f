import type { LandedRow } from '../../../../schemas/pipeline/landing.js';
import { rowOf } from '../../records/answer.js';
import { settingsOf } from './ask-owners.js';
import { thresholdParameter } from './threshold-parameter.js';
import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import type { Fetcher } from '../../records/fetcher.js';

/**
 * Prefix in the column `row_kind` of the row for the last threshold. If a company has no row with this prefix and no row
 * with status 404, its fetch was interrupted, and the company is fetched again.
 */
const LAST = 'last:';

/**
 * Fetches the beneficial owners of a company, with one request and one row for each threshold. The kind of the row
 * names the threshold.
 */
export const ownership: Fetcher = {
  withoutPersonalData: ownersWithoutPersonalData,
  async *fetch(client, ctx, id, signal) {
    const settings = settingsOf(ctx);
    for (const threshold of settings.thresholds) {
      const response = await client.v2.kyb.ubo(id, thresholdParameter(settings, threshold), { signal });
      yield rowOf(response, id, `${threshold === settings.thresholds.at(-1) ? LAST : 'more:'}${threshold}`);
    }
  },
  finished: (rows) => new Set(rows.filter(isLast).map((row) => row.entity_id ?? '')),
};

function isLast({ row_kind, status }: LandedRow): boolean {
  return row_kind.startsWith(LAST) || status === 404;
}
