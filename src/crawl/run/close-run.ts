import type { CloseRunInput, CloseRunResult } from '../../../schemas/pipeline/activities.js';
import type { ForecastRecord, QuotaRecord, RunRecord } from '../../../schemas/pipeline/landing.js';
import { RECORD_STREAMS } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { adoptSpools, pullManifests, pullRows, readManifests } from '../../landing/index.js';
import { describeOveruse, quotaOveruse } from './quota-overuse.js';
import { pullRequests, readRequests } from '../../landing/request-log.js';
import { payeeListFile } from '../../store/data-folder.js';
import { landRecords, readRecords, type Recording } from '../records/land-records.js';
import { folderChanged } from '../records/folder-changed.js';
import { formatCount } from '../../../schemas/format.js';

/** Lands the opening record of a run. Until a closing record follows, the warehouse shows the run as running. */
export async function landOpening(deps: Recording, ctx: RunContext): Promise<void> {
  await landRecords(deps, ctx, 'runs', 'open', [openingOf(ctx)]);
}

function openingOf(ctx: RunContext): RunRecord {
  return {
    run_id: ctx.run,
    workflow_id: ctx.workflowId,
    workflow_type: ctx.workflowType,
    market: ctx.market,
    date: ctx.date,
    as_of_now: ctx.asOfNow,
    started_at: ctx.startedAt,
    config_hash: ctx.configHash,
    filters: ctx.filters,
    outcome: 'running',
    crawled: null,
    finished_at: null,
    requests: 0,
    rows: 0,
    note: ctx.note,
    held_back: null,
  };
}

/**
 * Lands what the models need about a finished run. Then removes the run's list of payees, which holds account numbers.
 * @throws as `landEnd`
 */
export async function closeRun(deps: Recording, input: CloseRunInput): Promise<CloseRunResult> {
  const { ctx, outcome, crawled, note, heldBack: held_back, why, refused, landed } = input;
  const record: RunRecord = { ...openingOf(ctx), outcome, crawled, note, held_back };
  if (why.length > 0) record.why = why;
  if (refused.length > 0) record.refused = refused;
  const result = await landEnd(deps, record, landed);
  if (ctx.workflowType === 'checkPayees' && ctx.file !== undefined)
    await deps.data.remove(payeeListFile(deps.config.dataDir, ctx.file));
  return result;
}

/**
 * Lands what the models need about a finished run: its requests, its quota overuse, its outcome, and the spools that
 * its chunks left. Any outcome but that of a crawl is landed as the record `end`, because the record `close` of the crawl
 * may already exist.
 * @param ended the record of the run's end. Its `finished_at` is null: the run ends now
 * @param landed number of answers that the landing zone must hold; null: any number
 * @throws TidemarkError `DataFolderChanged` when the landing zone holds fewer answers of the run than the run landed
 */
export async function landEnd(deps: Recording, ended: RunRecord, landed: number | null): Promise<CloseRunResult> {
  const { dataDir } = deps.config;
  const run = { run: ended.run_id, date: ended.date, market: ended.market };
  await adoptSpools({ data: deps.data, ...run });
  await pullRequests(deps.data, run.run);
  await pullManifests(deps.data, { run });
  await pullRows(deps.data, { streams: ['quota', 'forecasts'], run });
  const requests = readRequests(dataDir, run.run);
  const parts = readManifests(dataDir, { run: run.run }).filter((part) => !RECORD_STREAMS.has(part.stream));
  const totals = {
    requests: requests.reduce((sum, endpoint) => sum + endpoint.requests, 0),
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
  };
  // If rows that the run landed are missing, the run must not be recorded as complete.
  if (landed !== null && totals.rows < landed) {
    const missing = `its landing zone holds ${formatCount(totals.rows)} of the ${formatCount(landed)} responses that the run landed`;
    throw folderChanged(dataDir, missing);
  }
  if (requests.length > 0) await landRecords(deps, run, 'requests', 'close', requests);
  const overuse = quotaOveruse(readRecords<QuotaRecord>(deps, run, 'quota'), requests);
  if (overuse) await landRecords(deps, run, 'quota_overuse', 'close', [overuse]);
  // The end of the run needs a later timestamp than all its answers, including answers that another machine fetched.
  for (const { lastFetchedAt } of parts) if (lastFetchedAt !== null) deps.stamps?.after(lastFetchedAt);
  const finished_at = ended.finished_at ?? (deps.stamps ?? deps.clock).now().toISOString();
  const { outcome } = ended;
  const isCrawl = outcome === 'complete' || outcome === 'partial' || outcome === 'stopped';
  const crawled = isCrawl ? outcome : ended.crawled;
  await landRecords(deps, run, 'runs', isCrawl ? 'close' : 'end', [{ ...ended, crawled, finished_at, ...totals }]);
  const forecasts = readRecords<ForecastRecord>(deps, run, 'forecasts');
  const forecast = forecasts.length === 0 ? null : forecasts.reduce((sum, each) => sum + each.requests, 0);
  return { ...totals, forecast, drift: overuse && describeOveruse(overuse) };
}
