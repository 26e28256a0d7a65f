import type { CloseRunInput, CloseRunResult } from '../../../schemas/pipeline/activities.js';
import type { DuePlan } from '../../../schemas/pipeline/due.js';
import type { DueRecord, ForecastRecord, QuotaRecord, RunRecord } from '../../../schemas/pipeline/landing.js';
import { RECORD_STREAMS, type LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { adoptSpools, pullManifests, pullRows, readManifests } from '../../landing/index.js';
import { describeOveruse, quotaOveruse } from './quota-overuse.js';
import { pullRequests, readRequests } from '../../landing/request-log.js';
import { payeeListFile } from '../../store/data-folder.js';
import type { CrawlDeps } from '../records/deps.js';
import { landRecords, readRecords, type Recording } from '../records/land-records.js';
import { folderChanged } from '../records/folder-changed.js';
import { formatCount } from '../../../schemas/format.js';

/** Lands the opening record of a run. Until a closing record follows, the warehouse shows the run as running. */
export async function landOpening(deps: Recording, ctx: RunContext): Promise<void> {
  await landRecords(deps, ctx, 'runs', 'open', [
    runRecord(ctx, {
      outcome: 'running',
      crawled: null,
      finished_at: null,
      requests: 0,
      rows: 0,
      note: ctx.note,
      held_back: null,
    }),
  ]);
}

/**
 * Lands how many entities of a stream are due, for each reason. The reason `fresh` means "not due", so the counts add
 * up to all known entities.
 */
export async function landDue(
  deps: Recording,
  ctx: RunContext,
  stream: LandingStream,
  { known, due, reasons }: Pick<DuePlan, 'known' | 'due' | 'reasons'>,
): Promise<void> {
  const counts = { ...reasons, fresh: known - due };
  const records = Object.entries(counts).map(([reason, entities]): DueRecord => ({ stream, reason, entities }));
  await landRecords(deps, ctx, 'due', stream, records);
}

/** What a run must be known by, to be closed. */
export type ClosedRun = Pick<
  RunContext,
  | 'run'
  | 'workflowId'
  | 'workflowType'
  | 'market'
  | 'date'
  | 'asOfNow'
  | 'startedAt'
  | 'configHash'
  | 'filters'
  | 'file'
>;

/**
 * Lands what the models need about a finished run: its requests, its quota overuse, its outcome, and the spools that
 * its chunks left. Any outcome but that of a crawl is landed as the record `end`, because the record `close` of the crawl
 * may already exist. Removes the run's list of payees, which holds account numbers.
 * @param finishedAt ISO instant; default: now
 * @throws TidemarkError `DataFolderChanged` when the landing zone holds fewer answers of the run than the run landed
 */
export async function closeRun(
  deps: Recording,
  { ctx, outcome, crawled, note, heldBack, why, refused, landed }: Omit<CloseRunInput, 'ctx'> & { ctx: ClosedRun },
  { finishedAt }: { finishedAt?: string | undefined } = {},
): Promise<CloseRunResult> {
  await adoptSpools({ data: deps.data, run: ctx.run, date: ctx.date, market: ctx.market });
  await pullRequests(deps.data, ctx.run);
  await pullManifests(deps.data, { run: ctx });
  await pullRows(deps.data, { streams: ['quota', 'forecasts'], run: ctx });
  const requests = readRequests(deps.config.dataDir, ctx.run);
  const parts = readManifests(deps.config.dataDir, { run: ctx.run }).filter((part) => !RECORD_STREAMS.has(part.stream));
  const totals = {
    requests: requests.reduce((sum, endpoint) => sum + endpoint.requests, 0),
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
  };
  // If rows that the run landed are missing, the run must not be recorded as complete.
  if (landed !== null && totals.rows < landed) {
    const missing = `its landing zone holds ${formatCount(totals.rows)} of the ${formatCount(landed)} responses that the run landed`;
    throw folderChanged(deps.config.dataDir, missing);
  }
  if (requests.length > 0) await landRecords(deps, ctx, 'requests', 'close', requests);
  const overuse = quotaOveruse(readRecords<QuotaRecord>(deps, ctx, 'quota'), requests);
  if (overuse) await landRecords(deps, ctx, 'quota_overuse', 'close', [overuse]);
  // The end of the run needs a later timestamp than all its answers, including answers that another machine fetched.
  for (const { lastFetchedAt } of parts) if (lastFetchedAt !== null) deps.stamps?.after(lastFetchedAt);
  const finished_at = finishedAt ?? (deps.stamps ?? deps.clock).now().toISOString();
  const ended = !(outcome === 'complete' || outcome === 'partial' || outcome === 'stopped');
  await landRecords(deps, ctx, 'runs', ended ? 'end' : 'close', [
    runRecord(ctx, {
      outcome,
      crawled: ended ? crawled : outcome,
      finished_at,
      note,
      held_back: heldBack,
      ...(why.length > 0 ? { why } : {}),
      ...(refused.length > 0 ? { refused } : {}),
      ...totals,
    }),
  ]);
  if (ctx.workflowType === 'checkPayees' && ctx.file !== undefined) {
    await deps.data.remove(payeeListFile(deps.config.dataDir, ctx.file));
  }
  return { ...totals, forecast: readForecast(deps, ctx), drift: overuse && describeOveruse(overuse) };
}

/** Returns how many requests the forecast expected. Returns null for a run without a forecast. */
function readForecast(deps: Pick<CrawlDeps, 'data'>, ctx: ClosedRun): number | null {
  const forecasts = readRecords<ForecastRecord>(deps, ctx, 'forecasts');
  return forecasts.length === 0 ? null : forecasts.reduce((sum, { requests }) => sum + requests, 0);
}

type Ending = Pick<
  RunRecord,
  'outcome' | 'crawled' | 'finished_at' | 'requests' | 'rows' | 'note' | 'held_back' | 'why' | 'refused'
>;

function runRecord(ctx: ClosedRun, ending: Ending): RunRecord {
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
    ...ending,
  };
}
