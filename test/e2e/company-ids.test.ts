import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { startStubApi, type StubApi } from '../helpers/stub-api.js';
import { startTemporal } from '../helpers/temporal.js';
import { runCli } from '../src/commands/run-cli.js';

const LARGEST_EXACT = 2n ** 53n;

// The API decides how it writes ids; what the warehouse cannot hold is never counted as found.
describe.each([
  {
    ids: 'as text that is no number',
    count: 40,
    write: (id: number) => `"c-${id}"`,
    found: 0,
    rejected: 'unusable_id',
  },
  {
    ids: 'as numbers that no double can tell apart',
    count: 120,
    write: (id: number) => String(LARGEST_EXACT + BigInt((id - 5_000) / 13)),
    found: 120,
    rejected: null,
  },
])('a snapshot of an API that writes ids $ids', ({ count, write, found, rejected }) => {
  let temporal: TestWorkflowEnvironment;
  let api: StubApi;
  let project: Project;
  let worker: RunningProcess;
  let result: RunResult;
  let exitCode = 0;

  beforeAll(async () => {
    [temporal, api] = await Promise.all([startTemporal(), startStubApi(count, write)]);
    api.gone.clear();
    project = makeProject({ api, temporal: temporal.address, config: { markets: [{ name: 'stub' }] } });
    worker = await project.startWorker();
    const env = Object.fromEntries(
      Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const { code, stdout } = await runCli(['snapshot', '--json'], { cwd: project.dir, env });
    exitCode = code;
    result = JSON.parse(stdout) as RunResult;
  });

  afterAll(async () => {
    await worker?.stop();
    await Promise.all([temporal?.teardown(), api?.close()]);
    project?.remove();
  });

  it('counts what the warehouse holds', async () => {
    expect(result.coverage).toMatchObject({ reportedTotal: count, distinctCompanies: found, missing: count - found });
    const companies = await project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details');
    expect(companies).toEqual([{ n: found }]);
    expect(
      await project.query(`SELECT reported_total::INTEGER AS total, distinct_companies::INTEGER AS found,
        loaded_companies::INTEGER AS loaded, share, is_proven FROM ops.coverage`),
    ).toEqual([{ total: count, found, loaded: found, share: found / count, is_proven: found === count }]);
  });

  it('is complete only where nothing is missing', async () => {
    const outcome = found === count ? 'complete' : 'partial';
    expect(result).toMatchObject({ outcome, incomplete: found < count });
    expect(exitCode).toBe(found === count ? 0 : 1);
    expect(await project.query('SELECT outcome FROM ops.runs')).toEqual([{ outcome }]);
    expect(await project.query('SELECT is_complete FROM ops.nights')).toEqual([{ is_complete: found === count }]);
  });

  it('names what it cannot hold, and why', async () => {
    const rejects = await project.query(
      `SELECT reason, count(*)::INTEGER AS n FROM ops.rejects WHERE stream = 'prospecting' GROUP BY reason`,
    );
    expect(rejects.map(({ reason }) => reason)).toEqual(rejected === null ? [] : [rejected]);
    if (rejected !== null)
      expect(result.notes.join(' ')).toMatch(/40 companies have ids that the warehouse cannot hold.*"c-\d+"/);
  });
});
