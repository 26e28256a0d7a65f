import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { settingsOf, thresholdParameter } from './ask-owners.js';

/**
 * Fetches the beneficial owners of a company, with one request and one row for each threshold. The kind of the row
 * names the threshold.
 */
export const ownership: Fetcher = {
  withoutPersonalData: ownersWithoutPersonalData,
  async *fetch(client, ctx, id, signal) {
    const settings = settingsOf(ctx);
    const last = settings.thresholds.at(-1);
    for (const threshold of settings.thresholds) {
      const response = await client.v2.kyb.ubo(id, thresholdParameter(settings, threshold), { signal });
      yield rowOf(response, id, `${threshold === last ? 'last' : 'more'}:${threshold}`);
    }
  },
};
