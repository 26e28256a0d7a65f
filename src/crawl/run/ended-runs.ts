import { namesIn } from '../../store/files.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { WEBHOOK_RUN, type CrawlOutcome, type RunOutcome, type RunRecord } from '../../../schemas/pipeline/landing.js';
import { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { formatCount } from '../../../schemas/format.js';
import { errorMessage } from '../../base/errors.js';
import { adoptSpools, pullRows, readManifests, readPartRows, runFolders, spoolsDir } from '../../landing/index.js';
import type { LandedPart } from '../../landing/index.js';
import { landEnd } from './close-run.js';
import type { Recording } from '../records/land-records.js';

/** What Temporal knows of a run. */
export type RunFate =
  | { open: true }
  | {
      open: false;
      /** `complete`: the workflow has returned a result. */
      outcome: 'complete' | Exclude<RunOutcome, 'running' | CrawlOutcome>;
      /** How the run ended, as a sentence. */
      reason: string;
      /** When the run ended; null if unknown. */
      at: Date | null;
    };

/** Asks Temporal about runs of this data folder. */
export interface RunFates {
  of(run: { workflowId: string; run: string }): Promise<RunFate>;
  /** Returns the latest runs that failed, timed out, or were cancelled or terminated. */
  badlyEnded(): Promise<ReadonlySet<string>>;
}

// After this time, in milliseconds, no activity of an ended run writes any more: each learns of the end with its next
// heartbeat, which is due each second.
const SETTLE_MS = 5_000;

// The runs that start together, such as scheduled ones, look one after another.
let looking: Promise<unknown> = Promise.resolve();

/**
 * Lands the spools of runs that ended without landing them, and records how these runs ended. A terminated or timed out
 * run cannot do so itself, and neither can a run whose Temporal server lost its database.
 * @param self the run that starts now
 * @returns a sentence for each such run
 */
export async function closeEndedRuns(deps: Recording, self: string, fates: RunFates): Promise<string[]> {
  const work = looking.then(() => closeAll(deps, self, fates));
  looking = work.catch(() => undefined);
  return work;
}

async function closeAll(deps: Recording, self: string, fates: RunFates): Promise<string[]> {
  const { dataDir } = deps.config;
  const spooled = runsWithSpools(dataDir);
  const notes: string[] = [];
  const badlyEnded = await fates.badlyEnded().catch((error: unknown) => {
    notes.push(`Temporal does not say which runs ended badly: ${errorMessage(error)}`);
    return new Set<string>();
  });
  for (const [run, parts] of recordsByRun(dataDir)) {
    const has = (chunk: string): boolean => parts.some((part) => part.chunk === chunk);
    const isRecorded = has('end') || (has('close') && !badlyEnded.has(run));
    if (run === self || (isRecorded && !spooled.has(run))) continue;
    try {
      const records = parts.flatMap(readPartRows).map((row) => JSON.parse(row.body) as RunRecord);
      const last = records.findLast(({ finished_at }) => finished_at !== null) ?? records[0];
      if (last === undefined) continue;
      const fate = await fates.of({ workflowId: last.workflow_id, run });
      if (!fate.open) notes.push(...(await closeOne(deps, last, fate)));
    } catch (error) {
      notes.push(
        `The answers of the ended run ${run} are not landed yet: ${errorMessage(error)} The next run tries again.`,
      );
    }
  }
  return notes;
}

async function closeOne(deps: Recording, known: RunRecord, fate: RunFate & { open: false }): Promise<string[]> {
  const { run_id: run, date, market, workflow_id } = known;
  const { outcome: how, at } = fate;
  if (at !== null) await sleep(Math.min(SETTLE_MS, Math.max(0, at.getTime() + SETTLE_MS - Date.now())));
  const rows = await adoptSpools({ data: deps.data, run, date, market });
  const landed = rows === 0 ? [] : [`This run landed the ${formatCount(rows)} answers that ${workflow_id} left.`];
  // The run may have recorded its end meanwhile.
  await pullRows(deps.data, { streams: ['runs'], run: { run, date } });
  const chunks = readManifests(deps.config.dataDir, { stream: 'runs', run }).map(({ chunk }) => chunk);
  const closed = chunks.includes('close');
  if (chunks.includes('end') || (closed && how === 'complete')) return landed;
  // Without its record, a completed run is not complete here: its answers are in another copy of this folder.
  const [outcome, reason] =
    how === 'complete'
      ? (['lost', 'The run completed, but this data folder lacks its end.'] as const)
      : ([how, fate.reason] as const);
  const ended: RunRecord = {
    ...known,
    outcome,
    crawled: closed ? known.crawled : null,
    finished_at: known.finished_at ?? at?.toISOString() ?? null,
    note: [known.note, reason].filter(Boolean).join(' '),
    why: [...(known.why ?? []), { code: outcome, values: {}, reason }],
  };
  await landEnd(deps, ended, null);
  return [...landed, `${workflow_id}: ${reason}`];
}

/** The parts with the records of each run, in the order `close`, `end`, `open`. Skips damaged manifests. */
function recordsByRun(dataDir: string): Map<string, LandedPart[]> {
  const runs = new Map<string, LandedPart[]>();
  for (const part of readManifests(dataDir, { stream: 'runs' }, () => undefined))
    runs.set(part.run, [...(runs.get(part.run) ?? []), part]);
  return runs;
}

/** Lists the runs that have a spool on this machine. In a bucket, a run without an end may have others. */
function runsWithSpools(dataDir: string): Set<string> {
  const found = new Set<string>();
  for (const stream of LandingStream.options) {
    for (const { folder, run } of runFolders(dataDir, stream))
      if (namesIn(spoolsDir(folder)).length > 0) found.add(run);
  }
  found.delete(WEBHOOK_RUN);
  return found;
}
