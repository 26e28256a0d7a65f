import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import type { Fetcher } from '../../records/fetcher.js';
import { settingsOf, thresholdParameter } from './ask-owners.js';

/** Fetches the beneficial owners of a company, with one request and one row for each threshold. */
export const ownership: Fetcher = {
  withoutPersonalData: ownersWithoutPersonalData,
  async fetch(id, { client, ctx, signal, page }) {
    const settings = settingsOf(ctx);
    for (const threshold of settings.thresholds)
      await page(threshold, () => client.v2.kyb.ubo(id, thresholdParameter(settings, threshold), { signal }));
  },
};
