import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { NewRow } from '../../../landing/index.js';
import type { Routes } from '../../judge/routes.js';
import { didNothing } from '../../judge/kinds.js';
import { rowOf } from '../../records/answer.js';
import type { CrawlDeps } from '../../records/deps.js';
import { carefully, findLostStart, rowKindOf, settingsOf } from './ask-owners.js';
import { readJob } from '../../../api/routes/read-ownership.js';
import { JobFiles } from './job-files.js';
import { decideStart, type OwnerJob } from './job-state.js';
import { thresholdParameter } from './threshold-parameter.js';
import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import type { Fetcher } from '../../records/fetcher.js';

const START = 'POST /v2/kyb/{id}/ubo/enrich';
const READ = 'GET /v2/kyb/{id}/ubo';

/**
 * Starts the enrichment job of a company. Sends the request at most once, because a second request would start a second
 * job. Asks for the smallest threshold: its answer includes the owners of all larger thresholds. For the states of a
 * job, see job-state.ts.
 */
export const ownershipJobs: Fetcher = {
  manyRoutes: true,
  costly: true,
  withoutPersonalData: ownersWithoutPersonalData,
  async *fetch(_client, ctx, company, signal, routes, { deps }) {
    const files = new JobFiles(deps.data);
    const job = await files.read(company);
    const decision = decideStart(job, ctx, new Date());
    if (decision === 'land' && job?.row) yield job.row;
    if (decision === 'ask' && job) yield await settle(deps, ctx, files, job, { signal, routes });
    if (decision === 'start') {
      const row = await start(deps, ctx, files, company, { signal, routes });
      if (row !== null) yield row;
    }
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};

interface Way {
  signal: AbortSignal;
  routes: Routes;
}

/** Starts a job. Returns null when another process has started one first. */
async function start(
  deps: CrawlDeps,
  ctx: RunContext,
  files: JobFiles,
  company: string,
  { signal, routes }: Way,
): Promise<NewRow | null> {
  const settings = settingsOf(ctx);
  const asked: OwnerJob = {
    company,
    state: 'asked',
    run: ctx.run,
    jobId: null,
    askedAt: deps.clock.now().toISOString(),
    endedAt: null,
    polledAt: new Date().toISOString(),
    misses: 0,
    row: null,
    landed: null,
  };
  if (!(await files.intend(asked))) return null;
  const body = thresholdParameter(settings, settings.thresholds[0] ?? 0);
  try {
    const response = await routes.send(START, async () =>
      deps.client.v2.kyb.startUboEnrichment(company, body, { signal }),
    );
    const { jobId } = readJob(response.body);
    const row = carefully(deps, rowOf(response, company, rowKindOf(jobId === null ? 'nojob' : 'started', jobId)));
    const known: OwnerJob = { ...asked, jobId, row };
    if (jobId === null) await files.end(known, deps.clock.now());
    else await files.write({ ...known, state: 'started' });
    return row;
  } catch (error) {
    if (didNothing(error)) await files.forget(company);
    throw error;
  }
}

/** Finds out whether an earlier request, whose answer is unknown, started a job. Records the result. */
async function settle(
  deps: CrawlDeps,
  ctx: RunContext,
  files: JobFiles,
  job: OwnerJob,
  { signal, routes }: Way,
): Promise<NewRow> {
  const found = await routes.send(READ, async () =>
    findLostStart(deps, ctx, job.company, { signal, at: deps.clock.now() }),
  );
  const known: OwnerJob = { ...job, run: ctx.run, jobId: found.jobId, row: found.row };
  if (found.state === 'started') await files.write({ ...known, state: 'started' });
  else await files.end(known, deps.clock.now());
  return found.row;
}
