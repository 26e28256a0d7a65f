import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { advanceDay } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';
import { runCli } from '../src/commands/run-cli.js';

const MARKET = { companies: 120, tenders: 5, seed: 19, date: '2026-11-20' };
const AHEAD = '2026-11-20T16:00:00Z';
const RIGHT = '2026-11-20T04:00:00Z';

let temporal: TestWorkflowEnvironment;
let sandbox: RunningSandbox;
let project: Project;
let worker: RunningProcess | undefined;

const night = async (id: string, now: string): Promise<RunResult> => {
  worker = await project.startWorker({ TIDEMARK_NOW: now });
  const result = (await temporal.client.workflow.execute('marketSnapshot', {
    taskQueue: 'tidemark-crawl',
    workflowId: id,
    args: [{}],
  })) as RunResult;
  await worker.stop();
  return result;
};

beforeAll(async () => {
  [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
  project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
  });
});

afterAll(async () => {
  await worker?.stop();
  await sandbox?.stop();
  await temporal?.teardown();
  project?.remove();
});

it('after a clock that was 12 hours ahead, the newest answers win, and the stamps are named', async () => {
  const first = await night('snapshot/demo/ahead', AHEAD);
  expect(first.notes.join(' ')).not.toMatch(/stamped/);
  await expectMarketEqualsTruth(project, MARKET);

  await advanceDay(sandbox);
  const second = await night('snapshot/demo/right', RIGHT);
  expect(second.outcome).toBe('complete');
  await expectMarketEqualsTruth(project, MARKET, 1);
  expect(second.notes.join(' ')).toMatch(
    /time stamps up to 2026-11-20T16:.*, (11|12) hours ahead of this machine's clock \(2026-11-20T04:/,
  );
  const filed = await project.query('SELECT note FROM ops.runs ORDER BY started_at DESC LIMIT 1');
  expect(filed).toEqual([{ note: expect.stringMatching(/time stamps up to/) }]);

  const env = Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const { stdout } = await runCli(['doctor'], {
    cwd: project.dir,
    env: { ...(Object.fromEntries(env) as Record<string, string>), TIDEMARK_NOW: RIGHT },
  });
  expect(stdout).toMatch(
    new RegExp(`parts have time stamps in the future, up to 2026-11-20T16:.*runs: .*${first.run}`),
  );
});
