import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { countRequests, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

const MARKET = { companies: 900, tenders: 20, seed: 11, 'max-per-page': 25 };
// Requests in flight when the worker dies are all that may be sent again (a chunk is 500).
const IN_FLIGHT = 16;

// kill -9, and the way a deployment asks a worker to go.
describe.each(['SIGKILL', 'SIGTERM'] as const)('%s of the worker in the middle', (signal) => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let second: RunningProcess | undefined;
  let result: RunResult;

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox({ ...MARKET, latency: 15 })]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: { api: { baseUrl: sandbox.url, maxConcurrency: IN_FLIGHT } },
    });
    const first = await project.startWorker();
    const handle = await temporal.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'snapshot/demo/killed',
      args: [{}],
    });
    await waitUntil(
      'some hundred company records are fetched',
      async () => (await countRequests(sandbox, 'GET /v2/companies/{id}')) > 250,
    );
    await first.stop(signal);
    second = await project.startWorker();
    result = (await handle.result()) as RunResult;
  });

  afterAll(async () => {
    await second?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('loses nothing and doubles nothing', async () => {
    expect(result.outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
  });

  it('repeats no more than what was in flight', async () => {
    const sent = await countRequests(sandbox, 'GET /v2/companies/{id}');
    expect(sent).toBeLessThanOrEqual(MARKET.companies + 2 * IN_FLIGHT);
  });
});
