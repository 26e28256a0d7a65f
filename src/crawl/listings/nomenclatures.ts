import type { ListResult } from '../../../schemas/pipeline/activities.js';
import type { ApiError, ApiResponse } from '../../api/index.js';
import { daysBefore } from '../../base/time/time.js';
import { readManifests, type PartWriter } from '../../landing/index.js';
import { askOne, compareWith, sinceScheduled } from '../attempt/ask-each.js';
import { kindOf } from '../judge/kinds.js';
import { refusalOf } from '../judge/refusal.js';
import { rowOf } from '../records/answer.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';

/** What was read of a listing. */
export type Counts = Pick<ListResult, 'entities' | 'shortfall' | 'refused'>;

const NOMENCLATURE_DAYS = 7;

/** The requests that read the nomenclatures. A run sends each of them once. */
export const NOMENCLATURE_ENDPOINTS = [
  'GET /v1/finder/nomenclatures',
  'GET /v1/finder/tenders/nomenclatures',
  'GET /v1/finder/tenders/donors',
];

/** Whether the landing zone holds nomenclatures that a run read in the last NOMENCLATURE_DAYS days. */
export function nomenclaturesAreFresh({ config, clock }: Pick<CrawlDeps, 'config' | 'clock'>): boolean {
  const since = daysBefore(clock.now(), NOMENCLATURE_DAYS).toISOString();
  return readManifests(config.dataDir, { stream: 'nomenclatures' }).some((part) => (part.lastFetchedAt ?? '') > since);
}

/** Reads the lookup lists that this run has not landed yet. */
export async function readNomenclatures(deps: CrawlDeps, writer: PartWriter, heartbeat: Heartbeat): Promise<Counts> {
  const missing = new Map<string, ApiError>();
  const { v1 } = deps.client;
  const { signal } = heartbeat;
  const calls: Record<string, () => Promise<ApiResponse<unknown>>> = {
    v1: () => v1.nomenclatures({ signal }),
    tenders: () => v1.tenderNomenclatures({ signal }),
    donors: () => v1.tenderDonors({ signal }),
  };
  let limited: Error | undefined;
  for (const [name, read] of Object.entries(calls)) {
    const known = calls[writer.rows[0]?.entity_id ?? ''];
    if (writer.rows.some((row) => row.entity_id === name)) continue;
    try {
      const answer = await askOne(deps, heartbeat, {
        of: 'page',
        send: read,
        other: known && (() => compareWith(known)),
        silentMs: () => sinceScheduled(heartbeat),
      });
      if ('error' in answer) missing.set(name, answer.error);
      else await writer.append(rowOf(answer.result, name, 'list'));
    } catch (error) {
      // Read the other lists before the attempt ends, because each list that is read is kept.
      if (kindOf(error) !== 'limit') throw error;
      limited ??= error as Error;
    }
  }
  if (limited !== undefined) throw limited;
  const refused = [...missing.values()]
    .filter((error) => kindOf(error) === 'refused')
    .map((error) => refusalOf('nomenclatures', error));
  const named = [...missing].map(([name, error]) => `${name}: ${error.message}`);
  return {
    entities: writer.rows.length,
    shortfall: named.length > 0 ? `Some nomenclatures could not be read: ${named.join('; ')}` : null,
    ...(refused.length > 0 ? { refused } : {}),
  };
}
