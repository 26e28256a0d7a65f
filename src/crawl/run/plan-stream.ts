import type { PlanDueInput } from '../../../schemas/pipeline/activities.js';
import type { DuePlan } from '../../../schemas/pipeline/due.js';
import type { DueRecord } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { traitsOf } from '../../../schemas/streams/streams.js';
import type { Warehouse } from '../../warehouse/duckdb/open.js';
import { dueDir } from '../../store/data-folder.js';
import { draftDue, finishDraft } from '../../warehouse/due/draft-due.js';
import { chunkSizeFor, planDue, type DueRequest } from '../../warehouse/due/plan-due.js';
import { pullRows } from '../../landing/index.js';
import { findPlan, type DueCounts } from '../../warehouse/due/due-plan.js';
import type { CrawlDeps } from '../records/deps.js';
import { askedQuestions } from '../streams/asked-questions.js';
import { landRecords } from '../records/land-records.js';

/** Plans which entities of a stream are due in a run. Lands how many are due for each reason. */
export async function planStream(
  deps: Omit<CrawlDeps, 'client'>,
  warehouse: Warehouse,
  input: PlanDueInput,
): Promise<DuePlan> {
  const { ctx, stream, ahead = [] } = input;
  const { dataDir } = deps.config;
  const questions = await namedEntities(deps, ctx, stream);
  const isNew = (await findPlan(deps.data, dueDir(dataDir, ctx.run, stream))) === undefined;
  const due = await planDue(warehouse, deps.data, { ...requestOf(deps, input), questions });
  // If an earlier attempt made the plan, make no drafts: the streams are then planned one by one.
  if (isNew && ahead.length > 0)
    await draftDue(
      warehouse,
      dataDir,
      ahead.map((later) => requestOf(deps, { ...input, stream: later })),
    );
  return landPlan(deps, input, due);
}

/**
 * Plans a stream whose plan was drafted with an earlier stream. Does not need the warehouse.
 * @returns undefined if the stream has no draft
 */
export async function planDrafted(deps: Omit<CrawlDeps, 'client'>, input: PlanDueInput): Promise<DuePlan | undefined> {
  const { data } = deps;
  await pullRows(data, { streams: ['companies'], run: input.ctx });
  const due = await finishDraft(data, requestOf(deps, input));
  return due === undefined ? undefined : { ...(await landPlan(deps, input, due)), drafted: true };
}

function requestOf(
  { clock }: Pick<CrawlDeps, 'clock'>,
  { ctx, stream, chunkSize, wholeMarket }: PlanDueInput,
): DueRequest {
  return {
    run: ctx.run,
    market: ctx.market,
    stream,
    refreshSeconds: ctx.refreshSeconds[traitsOf(stream).follows ?? stream] ?? 0,
    now: clock.now(),
    chunkSize,
    workers: ctx.workers,
    known: knownOf(ctx, stream),
    wholeMarket,
  };
}

/**
 * Lands how many entities of a stream are due, for each reason. The reason `fresh` means "not due", so the counts add
 * up to all known entities.
 */
async function landPlan(
  deps: Omit<CrawlDeps, 'client'>,
  { ctx, stream, chunkSize }: PlanDueInput,
  due: DueCounts,
): Promise<DuePlan> {
  const counts = { ...due.reasons, fresh: due.known - due.due };
  const records = Object.entries(counts).map(([reason, entities]): DueRecord => ({ stream, reason, entities }));
  await landRecords(deps, ctx, 'due', stream, records);
  const known = knownOf(ctx, stream);
  // Without due entities, the run has nothing to do for these streams.
  const mayIdle = known === 'rejected' || known === 'enriched' || stream === 'ownership_jobs';
  const planned = chunkSizeFor(due.due, { chunkSize, workers: ctx.workers });
  return { stream, chunkSize: planned, ...due, idle: mayIdle && due.due === 0 };
}

/**
 * Returns the entities that the run's list or the configuration names. Returns undefined for a stream whose entities
 * come from the warehouse.
 */
async function namedEntities(
  deps: Omit<CrawlDeps, 'client'>,
  ctx: RunContext,
  stream: PlanDueInput['stream'],
): Promise<readonly string[] | undefined> {
  if (ctx.file !== undefined) return askedQuestions(deps, ctx);
  // Read the tickers from the configuration. They are not part of the run's context, because Temporal would store them
  // with every activity.
  if (stream === 'financials_ticker') return deps.config.markets.find(({ name }) => name === ctx.market)?.tickers ?? [];
  return undefined;
}

function knownOf(
  { workflowType, asOfNow }: RunContext,
  stream: PlanDueInput['stream'],
): NonNullable<DueRequest['known']> {
  if (workflowType === 'resolveCompanies') return 'asked';
  if (workflowType === 'retryRejects') return 'rejected';
  if (workflowType === 'enrichOwners' && stream === 'ownership') return 'enriched';
  // A run without a search (for a past date, or a backfill) uses the members of the market's latest night.
  return asOfNow ? 'sighted' : 'members';
}
