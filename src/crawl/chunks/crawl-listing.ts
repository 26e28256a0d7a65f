import type { ListInput, ListResult, ShortListing } from '../../../schemas/pipeline/activities.js';
import { PartWriter, pullRows } from '../../landing/index.js';
import { kindOf } from '../judge/kinds.js';
import { refusalOf } from '../judge/refusal.js';
import { NOT_READ, readListing } from '../listings/list.js';
import { SHORT_LISTS } from '../listings/short-lists.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { partOf } from '../records/land-records.js';
import { ChunkAttempt } from './chunk-attempt.js';

/**
 * Reads a whole listing and lands its answers. Sends no request if an earlier attempt of this run has finished the
 * listing.
 * @returns counts; `limited` is true when the daily limit stopped the reading; `refused` describes the routes that the
 * API refuses
 */
export async function crawlListing(deps: CrawlDeps, input: ListInput, heartbeat: Heartbeat): Promise<ListResult> {
  const { ctx, listing } = input;
  if (listing === 'nomenclatures' || listing === 'contact_metrics')
    return readShortList(deps, { ctx, listing }, heartbeat);
  return readListing(deps, { ctx, listing }, heartbeat);
}

/** Reads the due items of a list, each by its own request. A later attempt does not read a landed item again. */
async function readShortList(
  deps: CrawlDeps,
  { ctx, listing }: ListInput & { listing: ShortListing },
  heartbeat: Heartbeat,
): Promise<ListResult> {
  const target = partOf(deps, ctx, listing, listing);
  if (await PartWriter.committed(target)) return NOT_READ;
  await pullRows(deps.data, { streams: [listing] });
  const list = SHORT_LISTS[listing];
  const { fetcher, waits, todo } = list;
  const entities = list.due(deps, ctx);
  if (entities.length === 0) return NOT_READ;

  const attempt = await ChunkAttempt.open({ deps, ctx, heartbeat, target, fetcher, entities, landsRefusals: false });
  const ended = await attempt.land();
  const { rows, requests } = ended;
  if (ended.how === 'limited' && waits) return { ...NOT_READ, requests, limited: true };
  const failed = ended.how === 'done' ? [...ended.result.values()] : [];
  const refused = ended.how === 'closed' ? [ended.error] : failed.filter((error) => kindOf(error) === 'refused');
  const why = ended.how === 'done' ? failed[0] : ended.error;
  const { missing } = attempt;
  const items =
    missing.length > 3 ? `${missing.length} between ${missing[0]} and ${missing.at(-1)}` : missing.join(', ');
  const what = `These ${listing.replaceAll('_', ' ')} could not be read: ${items}`;
  return {
    rows,
    requests,
    entities: entities.length - missing.length,
    limited: false,
    shortfall: missing.length === 0 ? null : `${what}: ${why?.message ?? 'the API has no usable answer'}. ${todo}`,
    ...(refused.length > 0 ? { refused: refused.map((error) => refusalOf(listing, error)) } : {}),
  };
}
