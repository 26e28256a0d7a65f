import type { OwnershipSettings, RunContext } from '../../../../schemas/pipeline/run.js';
import { keepsContacts } from '../../../config/config.js';
import { textOf, type NewRow } from '../../../landing/index.js';
import type { OwnerJob } from './job-state.js';
import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import type { CrawlDeps } from '../../records/deps.js';
import type { JobEnd } from './job-state.js';

/** Returns the ownership settings of a run. */
export function settingsOf({ ownership }: RunContext): OwnershipSettings {
  if (!ownership) throw new Error('The run has no settings of the stream ownership.');
  return ownership;
}

/**
 * Makes the request parameter for a threshold. The reference gives no name for it, so the configuration does.
 * @param percent default: the smallest threshold. Its answer includes the owners of all larger thresholds
 */
export function thresholdParameter(
  { parameter, unit, thresholds }: OwnershipSettings,
  percent = thresholds[0] ?? 0,
): Record<string, number> {
  // Compute with the decimal text: 33.3 / 100 is not exactly 0.333.
  return { [parameter]: unit === 'percent' ? percent : Number(`${percent}e-2`) };
}

/** Removes personal data from an answer about a job, unless the configuration keeps it. */
export function carefully(deps: Pick<CrawlDeps, 'config'>, row: NewRow): NonNullable<OwnerJob['row']> {
  const body = textOf(row);
  return { ...row, body: keepsContacts(deps.config) ? body : ownersWithoutPersonalData(body) };
}

/** Makes the kind of a row about a job, from the job's state and id. The SQL in sql/staging reads both. */
export function rowKindOf(state: JobEnd | 'started' | 'running', jobId: string | null): string {
  return `${state}:${jobId ?? ''}`;
}
