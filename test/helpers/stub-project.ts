import { expect } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startDataPlace } from './data-place.js';
import { tidemarkIn, type CliResult } from './run-cli.js';
import { startStub, type StubApi } from '../stub/index.js';
import type { StubOptions } from '../stub/options.js';
import { membersTruth } from '../stub/truth.js';
import type { RunningProcess } from './processes.js';
import { makeProject, type Project } from './project.js';
import { startTemporal } from './temporal.js';

/** A project with the stub as API, a Temporal server and a worker. Its data are in a folder or bucket (`DataPlace`). */
export interface StubProject {
  api: StubApi;
  project: Project;
  temporal: TestWorkflowEnvironment;
  worker: RunningProcess;
  tidemark(...args: string[]): Promise<CliResult>;
  /** Runs `tidemark snapshot` for a market; returns exit code and result. */
  snapshot(market?: string): Promise<{ code: number; result: RunResult }>;
  close(): Promise<void>;
}

export async function startStubProject(options: Partial<StubOptions>, config: object = {}): Promise<StubProject> {
  const [temporal, api, place] = await Promise.all([startTemporal(), startStub(options), startDataPlace()]);
  const project = makeProject({
    api,
    temporal: temporal.address,
    ...place.withData({ config: { markets: [{ name: 'stub' }], ...config } }),
  });
  const worker = await project.startWorker();
  const tidemark = (...args: string[]): Promise<CliResult> => tidemarkIn(project, args);
  return {
    api,
    project,
    temporal,
    worker,
    tidemark,
    async snapshot(market = 'stub') {
      const { code, stdout, stderr } = await tidemark('snapshot', '--market', market, '--json');
      if (!stdout.startsWith('{')) throw new Error(`snapshot ended with ${code}: ${stdout}${stderr}`);
      return { code, result: JSON.parse(stdout) as RunResult };
    },
    async close() {
      await worker.stop();
      await Promise.all([temporal.teardown(), api.close(), place.stop()]);
      project.remove();
    },
  };
}

/**
 * Checks that the run claims nothing false. Members must be companies of the stub, each once. Only a market with all of
 * them may be complete, fully covered, or end with exit code 0.
 */
export async function expectNoFalseClaim(
  { api, project }: StubProject,
  { code, result }: { code: number; result: RunResult },
  market = 'stub',
): Promise<void> {
  const { sql, rows } = membersTruth(api.state, market);
  const members = (await project.query(sql)).map(({ id }) => id as string);
  const real = new Set(rows.map(({ id }) => id as string));
  expect(members.filter((id) => !real.has(id))).toEqual([]);
  expect(new Set(members).size).toBe(members.length);
  const whole = members.length === api.state.companies.length;
  if (whole) return;
  expect(result.coverage?.share ?? 0).toBeLessThan(1);
  expect({ code, outcome: result.outcome, incomplete: result.incomplete }).toEqual({
    code: 1,
    outcome: expect.not.stringMatching(/^complete$/) as string,
    incomplete: true,
  });
}
