import { readJob } from '../../../api/routes/read-ownership.js';
import { ownersWithoutPersonalData } from '../../../privacy/without-personal-data.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { carefully, rowKindOf, settingsOf, thresholdParameter } from './ask-owners.js';
import { JobFiles } from './job-files.js';
import { decideStart, type OwnerJob } from './job-state.js';

const START = 'POST /v2/kyb/{id}/ubo/enrich';

/**
 * Starts the enrichment job of a company. Sends the request at most once, because a second request would start a second
 * job. If an earlier answer was lost, the polls find out whether a job runs (poll-jobs.ts). For the states of a job, see
 * job-state.ts.
 */
export const ownershipJobs: Fetcher = {
  manyRoutes: true,
  costly: true,
  withoutPersonalData: ownersWithoutPersonalData,
  async fetch(company, { client, ctx, signal, routes, deps, add }) {
    const files = new JobFiles(deps.data);
    const job = await files.read(company);
    const decision = decideStart(job, ctx);
    if (decision === 'land' && job?.row) add(job.row);
    if (job?.state === 'asked' && job.run === ctx.run) {
      // The answer to the start was lost in an earlier attempt. Ask the API something, so that no silence counts as an
      // answer: while the API is down, the attempt ends, and starts no jobs of other companies.
      await client.v2.metrics({ signal });
    }
    if (decision !== 'start') return;
    const smallest = thresholdParameter(settingsOf(ctx));
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
    const response = await files.start(asked, () =>
      routes.send(START, () => client.v2.kyb.startUboEnrichment(company, smallest, { signal })),
    );
    // Another process may have recorded a job first.
    if (response === undefined) return;
    const { jobId } = readJob(response.body);
    const row = carefully(deps, rowOf(response, company, rowKindOf(jobId === null ? 'nojob' : 'started', jobId)));
    if (jobId === null) await files.end({ ...asked, row }, deps.clock.now());
    else await files.write({ ...asked, state: 'started', jobId, row });
    add(row);
  },
};
