import type { OwnershipSettings, RunContext } from '../../../../schemas/pipeline/run.js';
import type { ApiClient } from '../../../api/index.js';
import { keepsContacts } from '../../../config/config.js';
import type { NewRow } from '../../../landing/index.js';
import { rowOf } from '../../records/answer.js';
import type { CrawlDeps } from '../../records/deps.js';
import { thresholdParameter } from './threshold-parameter.js';
import { readOwners } from '../../../api/routes/read-ownership.js';
import type { JobEnd } from './job-state.js';
import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';

/** Returns the ownership settings of a run. */
export function settingsOf({ ownership }: RunContext): OwnershipSettings {
  if (!ownership) throw new Error('The run has no settings of the stream ownership.');
  return ownership;
}

/** Removes personal data from a row about a job, unless the configuration keeps it. */
export function carefully(deps: Pick<CrawlDeps, 'config'>, row: NewRow): NewRow {
  if (keepsContacts(deps.config) || row.status === 0) return row;
  return { ...row, body: ownersWithoutPersonalData(row.body) };
}

/** Makes a row whose text Tidemark writes itself, for a job that ended without a usable answer of the API. */
export function rowInWords(company: string, end: JobEnd, jobId: string | null, body: string, at: Date): NewRow {
  return {
    request_key: `TIDEMARK owner job of company ${company}`,
    entity_id: company,
    row_kind: rowKindOf(end, jobId),
    status: 0,
    fetched_at: at.toISOString(),
    body,
  };
}

/** Makes the kind of a row about a job, from the job's state and id. The SQL in sql/staging reads both. */
export function rowKindOf(state: JobEnd | 'started' | 'running', jobId: string | null): string {
  return `${state}:${jobId ?? ''}`;
}

/** What is known about a request to start a job, if its answer was lost. */
export type Found = { state: 'started'; jobId: string; row: NewRow } | { state: JobEnd; jobId: null; row: NewRow };

/**
 * Finds out whether a request started a job, if a crash or fault lost its answer. Reads the owners again; never starts
 * a second job.
 * @throws ApiError when the owners cannot be read
 */
export async function findLostStart(
  deps: Pick<CrawlDeps, 'config'> & { client: ApiClient },
  ctx: RunContext,
  company: string,
  { signal, at }: { signal: AbortSignal; at: Date },
): Promise<Found> {
  const settings = settingsOf(ctx);
  const query = thresholdParameter(settings, settings.thresholds[0] ?? 0);
  const response = await deps.client.v2.kyb.ubo(company, query, { signal });
  const { conclusive, jobId } = readOwners(response.body);
  const row = (state: JobEnd | 'started'): NewRow => carefully(deps, rowOf(response, company, rowKindOf(state, jobId)));
  if (jobId !== null) return { state: 'started', jobId, row: row('started') };
  if (conclusive === true) return { state: 'done', jobId: null, row: row('done') };
  const words =
    'The answer to the request for a job was lost, and the answer about the owners names no job. A job may be running, so Tidemark requests no other job until these owners are due again.';
  return { state: 'unknown', jobId: null, row: rowInWords(company, 'unknown', null, words, at) };
}
