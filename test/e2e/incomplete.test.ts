import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, countRequests } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { runCli } from '../src/commands/run-cli.js';

const COMPANIES = 2_500;
const CLONES = 2_000;
// Ten pages of a hundred: of the companies that no filter tells apart, a search shows so many.
const SHOWN = 1_000;

describe('a market with 2,000 companies that no filter tells apart', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;

  const tidemark = async (...args: string[]) => {
    const env = Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return runCli(args, { cwd: project.dir, env: Object.fromEntries(env) as Record<string, string> });
  };

  beforeAll(async () => {
    const market = { companies: COMPANIES, clones: CLONES, tenders: 1 };
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(market)]);
    // Version 1 would list them all, page after page: this key may not use it.
    await control(sandbox, 'faults', { route: '/v1/finder/companies', kind: 'status', status: 403, times: 0 });
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: { markets: [{ name: 'demo', streams: ['companies'] }] },
    });
    worker = await project.startWorker();
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('ends with what could be had, says "incomplete" and ends with 1', async () => {
    const { code, stdout } = await tidemark('snapshot');
    expect(stdout).toMatch(/: partial, incomplete\n/);
    expect(stdout).toMatch(/1,500 of 2,500 companies \(60\.00 %\), 1,000 missing/);
    expect(code).toBe(1);
    // The rest is no reason to lose the night.
    const [members] = await project.query('SELECT count(*)::INTEGER AS n FROM marts.market_members');
    expect(members).toEqual({ n: COMPANIES - CLONES + SHOWN });
    const [details] = await project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details');
    expect(details).toEqual(members);
  });

  it('names the rest with its filters and count', async () => {
    const { stdout } = await tidemark('coverage');
    expect(stdout).toMatch(/1,000 missing, un(splittable|proven): /);
    expect(stdout).toMatch(/filters \{"/);
    const [told] = JSON.parse((await tidemark('coverage', '--json')).stdout) as {
      why: { missing: number; filters: object }[];
      certificate: Record<'proven' | 'unsplittable' | 'unproven' | 'drifted', { found: number; missing: number }>;
    }[];
    expect(told?.why.reduce((sum, gap) => sum + gap.missing, 0)).toBe(CLONES - SHOWN);
    const classes = Object.values(told?.certificate ?? {}).filter((count) => typeof count === 'object');
    expect(classes.reduce((sum, { found }) => sum + found, 0)).toBe(COMPANIES - CLONES + SHOWN);
    expect(classes.reduce((sum, { missing }) => sum + missing, 0)).toBe(CLONES - SHOWN);
  });

  it('does not try for ever', async () => {
    // 25 pages would hold the market.
    expect(await countRequests(sandbox, 'POST /v2/prospecting')).toBeLessThan(250);
  });

  it('the next night costs no more, and asks nobody twice', async () => {
    const before = await countRequests(sandbox);
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as RunResult;
    expect(result).toMatchObject({ incomplete: true, heldBack: null });
    expect(result.due[0]).toMatchObject({ known: COMPANIES - CLONES + SHOWN, due: 0 });
    expect((await countRequests(sandbox)) - before).toBeLessThan(300);
  });
});
