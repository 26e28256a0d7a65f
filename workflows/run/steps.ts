import { ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import type { ChunkResult, CloseRunResult, Listing, PlanDueInput } from '../../schemas/pipeline/activities.js';
import type { DuePlan } from '../../schemas/pipeline/due.js';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import type { CrawlOutcome } from '../../schemas/pipeline/landing.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { ProgressStep, RunResult } from '../../schemas/pipeline/run.js';
import { reasonsInWords, refusalInWords } from './describe.js';
import { nextRound, repeatOf, roomBeside, type SharedRound } from './chunk-rounds.js';
import { alertsOf, type Findings } from './alerts.js';
import { heldBackBy, isIncomplete } from './publish-thresholds.js';
import { crawl, quick, spread, warehouse } from '../proxies.js';
import { rowsToStart, SOME_ROWS } from './early-load.js';
import type { Run } from './run.js';
import { startAlert } from './start-alert.js';
import { runConcurrently } from './run-concurrently.js';

// Number of records in one chunk, and of requests in one round of a search. With 500, the overhead of an activity (50
// to 100 ms) hardly matters, and a pause still takes effect soon.
const CHUNK_SIZE = 500;
const DISCOVER_BUDGET = 500;

/** Reads a listing to its end. Waits at the quota gate and repeats the activity when the daily limit is reached. */
export async function readListing(run: Run, listing: Listing): Promise<void> {
  await run.step(listing.replaceAll('_', ' '), async (shown) => {
    for (;;) {
      await run.checkpoint();
      const result = await run.orStopped(() =>
        crawl.crawlListing.executeWithOptions({ summary: `read ${listing}` }, [{ ctx: run.ctx, listing }]),
      );
      run.progress.requests += result.requests;
      if (!result.limited) {
        shown.done = shown.total = result.entities;
        // A missing lookup list or metric adds a note, but does not make the run partial. The shortfall names the
        // missing list or metric.
        const matters = listing !== 'nomenclatures' && listing !== 'contact_metrics';
        for (const refusal of result.refused ?? []) run.noteRefusal(refusal, { matters });
        run.countLanded(result.rows);
        const { shortfall } = result;
        if (matters && shortfall !== null)
          run.markIncomplete({ code: 'listing_short', values: { listing }, reason: shortfall });
        else run.note(shortfall);
        return;
      }
      await run.waitForQuota();
    }
  });
}

/** Searches the whole market, in rounds of about 500 requests. */
export async function discover(run: Run): Promise<void> {
  await run.step('search', async (shown) => {
    for (;;) {
      await run.checkpoint();
      const room = (await run.quotaBudget()) ?? DISCOVER_BUDGET;
      const input = {
        ctx: run.ctx,
        budget: Math.min(DISCOVER_BUDGET, room),
        concurrency: run.concurrency,
        round: run.nextChunk,
      };
      const summary = `search, round ${run.nextChunk + 1}`;
      const result = await run.orStopped(() => crawl.discoverMarket.executeWithOptions({ summary }, [input]));
      run.progress.requests += result.requests;
      if (result.refused) throw searchRefused(run, result.refused);
      shown.done = result.distinctCompanies;
      shown.total = result.reportedTotal;
      if (result.limited) {
        await run.waitForQuota();
        continue;
      }
      run.nextChunk++;
      run.countLanded(result.rows);
      run.show();
      if (result.done) {
        run.coverage = result.coverage;
        for (const cause of result.causes) run.markIncomplete(cause);
        return;
      }
    }
  });
}

/** Returns the error that ends the run: without searches, a market cannot be read. */
function searchRefused(run: Run, refusal: Refusal): ApplicationFailure {
  run.noteRefusal(refusal);
  const type: ErrorType = 'PermissionDenied';
  return ApplicationFailure.nonRetryable(refusalInWords(refusal), type);
}

/**
 * Loads landed parts, plans the due entities of a stream, and fetches them in chunks.
 * @param ahead streams that the run fetches next, and whose plans can be drafted with this one
 * @returns whether there was nothing to do (only in runs of `retryRejects` and `enrichOwners`)
 */
export async function crawlStream(
  run: Run,
  stream: PlanDueInput['stream'],
  ahead: readonly PlanDueInput['stream'][] = [],
): Promise<boolean> {
  let idle = false;
  await run.step(stream.replaceAll('_', ' '), async (shown) => {
    // After continue-as-new, plan again. The chunk files already exist, so this returns the same plan.
    const plan = await warehouse.planDue.executeWithOptions({ summary: `plan ${stream}` }, [
      {
        ctx: run.ctx,
        stream,
        chunkSize: run.ctx.chunkSize ?? CHUNK_SIZE,
        ...(ahead.length > 0 ? { ahead: [...ahead] } : {}),
        ...(run.coverage !== null && run.complete ? { wholeMarket: true } : {}),
      },
    ]);
    idle = plan.idle;
    shown.total = plan.due;
    shown.about = reasonsInWords(plan.reasons);
    if (run.due.every((summary) => summary.stream !== plan.stream)) {
      run.due.push({ stream: plan.stream, known: plan.known, due: plan.due, reasons: plan.reasons });
    }
    if (plan.drafted) run.loadEarly(SOME_ROWS);
    else run.noRowsWait();
    while (run.nextChunk < plan.chunks) {
      await run.checkpoint();
      const room = await run.quotaBudget();
      const round = nextRound(run, plan.chunks, { asked: run.concurrency, room, workers: run.workers });
      // Chunks that run once more need the results of all chunks of their round.
      const overlap = run.again === null;
      const { results, next } = await (overlap ? crawlChunks : crawlRound)(run, plan, round, shown);
      run.again = repeatOf({ ...round, next }, run.again, results);
      if (run.again) continue;
      noteRefusals(run, overlap ? results.filter(({ closed }) => closed) : results);
      run.show();
      if (results.some(({ closed }) => closed)) return;
      run.nextChunk = next;
    }
  });
  return idle;
}

function noteRefusals(run: Run, results: readonly Pick<ChunkResult, 'refused'>[]): void {
  for (const refusal of results.flatMap(({ refused }) => refused ?? []))
    run.noteRefusal(refusal, { matters: refusal.replacedBy === undefined });
}

type Crawled = { results: (ChunkResult & { chunk: number })[]; next: number };

/** Fetches the chunks of a round at the same time, and waits for all of them. */
async function crawlRound(run: Run, plan: DuePlan, round: SharedRound, shown: ProgressStep): Promise<Crawled> {
  const results: Crawled['results'] = [];
  // After a stop, the other chunk of the round may still finish and land its part.
  await runConcurrently(
    round.chunks.map((chunk, i) => async () => {
      const part = { chunk, concurrency: round.concurrency[i] ?? null };
      results.push({ chunk, ...(await crawlChunk(run, plan, part, shown, round.budgets[i] ?? null)) });
    }),
    () => run.stopped,
  );
  return { results, next: round.next };
}

/**
 * Fetches the chunks of a round and all later ones. Starts the next chunk as soon as one ends, so that requests stay in
 * flight while an ended chunk is landed. Starts no more chunks, and waits for those in progress, when one was refused,
 * when an operator pauses or stops the run or changes its concurrency, when the number of workers changes, or when the
 * history is long.
 * @returns the results, and the first chunk that was not started
 */
async function crawlChunks(run: Run, plan: DuePlan, round: SharedRound, shown: ProgressStep): Promise<Crawled> {
  const results: Crawled['results'] = [];
  const { concurrency: asked, workers } = run;
  let { next } = round;
  const mayStart = (): boolean =>
    next < plan.chunks &&
    run.concurrency === asked &&
    run.workers === workers &&
    !run.mustDrain &&
    results.every(({ closed }) => !closed);
  // Requests that the chunk of each lane may send.
  const budgets = [...round.budgets];
  await runConcurrently(
    round.chunks.map((first, lane) => async () => {
      for (let chunk: number | undefined = first; chunk !== undefined;) {
        const part = { chunk, concurrency: round.concurrency[lane] ?? null };
        const result = await crawlChunk(run, plan, part, shown, budgets[lane] ?? null);
        results.push({ chunk, ...result });
        // Later chunks need to know the refused routes. If the chunk is closed, another chunk may still get answers.
        if (!result.closed) noteRefusals(run, [result]);
        run.show();
        budgets[lane] = 0;
        const room = mayStart() ? await run.quotaBudget() : 0;
        budgets[lane] = roomBeside(budgets, room);
        chunk = budgets[lane] !== 0 && mayStart() ? next++ : undefined;
      }
    }),
    () => run.stopped,
  );
  return { results, next };
}

async function crawlChunk(
  run: Run,
  plan: DuePlan,
  part: { chunk: number; concurrency: number | null },
  shown: ProgressStep,
  room: number | null,
): Promise<ChunkResult> {
  let budget = room;
  const refused = run.refusedRoutes(plan.stream);
  const summary = `${plan.stream} ${part.chunk + 1} of ${plan.chunks}`;
  for (;;) {
    const input = {
      ctx: run.ctx,
      stream: plan.stream,
      ...part,
      budget,
      ...(refused.length > 0 ? { refused } : {}),
    };
    // A single worker takes all chunks. Several workers take as many as each may fetch at the same time.
    const { crawlChunk: fetch } = run.workers > 1 ? spread : crawl;
    const result: ChunkResult = await run.orStopped(() => fetch.executeWithOptions({ summary }, [input]));
    run.workers = result.workers;
    run.progress.requests += result.requests;
    if (!result.limited) {
      if (!result.closed) shown.done = Math.min(shown.done + plan.chunkSize, plan.due);
      run.countLanded(result.rows);
      run.loadEarly(rowsToStart(plan.due - shown.done));
      run.noteFailed(plan.stream, part.chunk, result.failed);
      return result;
    }
    // Without a budget, the run may use the whole quota: wait at the gate. With a budget, read how much quota is left.
    if (budget === null) await run.waitForQuota();
    else budget = await run.quotaBudget();
  }
}

/** Records the outcome of the crawl. A cancellation does not interrupt this; the run then adds one more record. */
async function closeCrawl(
  run: Run,
  { outcome, heldBack }: { outcome: CrawlOutcome; heldBack: string | null },
): Promise<CloseRunResult> {
  const { ctx, why, refused, landed, notes } = run;
  const note = notes.length > 0 ? notes.join(' ') : null;
  const input = { ctx, outcome, crawled: outcome, note, heldBack, why, refused, landed };
  const totals = await CancellationScope.nonCancellable(() =>
    quick.closeRun.executeWithOptions({ summary: `record the outcome: ${outcome}` }, [input]),
  );
  run.progress.requests = totals.requests;
  return totals;
}

/** Returns the result of a run. `found`: what only the loads, the models and the publication know. */
function resultOf(
  run: Run,
  { requests, forecast, rows }: CloseRunResult,
  found: Pick<RunResult, 'outcome' | 'heldBack' | 'rejects' | 'drift' | 'published'>,
): RunResult {
  const { coverage, due, refused, why, notes, ctx } = run;
  const { date, market, asOfNow, folder } = ctx;
  const known = { run: ctx.run, date, market, asOfNow, folder, coverage, due, refused, why, notes };
  return { ...known, incomplete: isIncomplete(coverage), requests, forecast, rows, ...found };
}

/** Closes a run that had nothing to do. The published build stays current. */
async function finishIdle(run: Run): Promise<RunResult> {
  const why =
    run.ctx.workflowType === 'enrichOwners'
      ? 'No owners to enrich: every answer is conclusive, or was enriched before.'
      : 'Nothing to retry: these streams have no open reject.';
  run.note(`${why} The run loaded and published nothing.`);
  const totals = await closeCrawl(run, { outcome: 'complete', heldBack: null });
  run.progress.rejects = 0;
  run.end('complete');
  return resultOf(run, totals, { outcome: 'complete', heldBack: null, rejects: 0, drift: [], published: null });
}

/** Closes the crawl, then loads the answers, builds the models and publishes. Every workflow of `withRun` ends here. */
export async function finish(run: Run): Promise<RunResult> {
  if (run.idle && !run.stopped) return finishIdle(run);
  const heldBack = heldBackBy(run.ctx.gate, run.coverage);
  if (heldBack !== null) run.markIncomplete({ code: 'held_back', values: {}, reason: heldBack });
  const outcome = run.stopped ? 'stopped' : run.complete ? 'complete' : 'partial';
  await run.checkpoint();
  const quota = await crawl.readQuota.executeWithOptions({ summary: 'read the quota once more' }, [run.ctx]);
  run.noteClock(quota);
  run.note(quota.fault);
  const totals = await closeCrawl(run, { outcome, heldBack });
  run.closed = { crawled: outcome, heldBack };
  run.note(totals.drift);
  run.enter('loading');
  await run.earlyLoadEnded();
  const loaded = await warehouse.loadLanding.executeWithOptions({ summary: 'load landed parts' }, [run.ctx]);
  run.progress.rejects = loaded.rejects;
  run.noteLoaded(loaded);
  run.enter('modelling');
  const models = await warehouse.buildModels.executeWithOptions({ summary: 'build the models' }, [run.ctx]);
  for (const audit of models.failedAudits) run.note(`Audit failed: ${audit}`);
  for (const remark of models.notes) run.note(remark);
  if (models.unloaded) run.correctCoverage(models.unloaded);
  run.enter('publishing');
  const published = await warehouse.publishWarehouse.executeWithOptions({ summary: 'publish market.duckdb' }, [
    run.ctx,
  ]);
  for (const remark of published.notes) run.note(remark);
  // Report the same outcome as ops.runs, which also depends on the rows in the warehouse.
  const ended = outcome === 'complete' && models.unloaded ? 'partial' : outcome;
  run.end(ended);
  const { rejects } = loaded;
  const result = resultOf(run, totals, {
    outcome: ended,
    heldBack,
    rejects,
    drift: models.drift,
    published: published.file,
  });
  const findings: Findings = {
    newDrift: models.newDrift,
    overuse: totals.drift,
    warnings: {
      audits: models.failedAudits.map((audit) => `Audit failed: ${audit}`),
      clock: quota.clock ? [quota.clock] : [],
      quota: quota.fault ? [quota.fault] : [],
      ...run.loadWarnings,
    },
  };
  for (const alert of alertsOf(run.ctx, result, findings, new Date())) await startAlert(alert);
  return result;
}
