import { expect } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { runCli, type CliResult } from './run-cli.js';
import { startStub, type StubApi } from '../stub/index.js';
import type { StubOptions } from '../stub/options.js';
import { membersTruth, type Truth } from '../stub/truth.js';
import type { RunningProcess } from './processes.js';
import { makeProject, type Project } from './project.js';
import { startTemporal } from './temporal.js';

/** A user of the stub: a project, a Temporal server and a worker of its own. */
export interface StubProject {
  api: StubApi;
  project: Project;
  temporal: TestWorkflowEnvironment;
  worker: RunningProcess;
  tidemark(...args: string[]): Promise<CliResult>;
  /** `tidemark snapshot` of a market: exit code and result. */
  snapshot(market?: string): Promise<{ code: number; result: RunResult }>;
  close(): Promise<void>;
}

export async function startStubProject(options: Partial<StubOptions>, config: object = {}): Promise<StubProject> {
  const [temporal, api] = await Promise.all([startTemporal(), startStub(options)]);
  const project = makeProject({ api, temporal: temporal.address, config: { markets: [{ name: 'stub' }], ...config } });
  const worker = await project.startWorker();
  const tidemark = (...args: string[]): Promise<CliResult> => {
    const env = Object.entries(project.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return runCli(args, { cwd: project.dir, env: Object.fromEntries(env) });
  };
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
      await Promise.all([temporal.teardown(), api.close()]);
      project.remove();
    },
  };
}

/** The published tables hold exactly this. */
export async function expectTruth({ project }: Pick<StubProject, 'project'>, { sql, rows }: Truth): Promise<void> {
  expect(await project.query(sql)).toEqual(rows);
}

/** The same, in any order. */
export async function expectSameRows({ project }: Pick<StubProject, 'project'>, { sql, rows }: Truth): Promise<void> {
  const texts = (some: object[]): string[] =>
    some.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
  expect(texts(await project.query(sql))).toEqual(texts(rows));
}

/**
 * Nothing is claimed that is not so: members are companies of the stub, each once, and only a market that has them all is
 * complete, wholly covered, or ends with exit code 0.
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
