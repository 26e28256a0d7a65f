import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SnapshotForecast } from '../../../../src/cli/runs/snapshot-forecast.js';
import { startSandbox, type RunningSandbox } from '../../../helpers/processes.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { control, countRequests } from '../../../helpers/sandbox.js';
import { runCli } from '../../../helpers/run-cli.js';

// The forecast includes what is left of the daily limit. It needs no Temporal server.
describe('tidemark snapshot --dry-run', () => {
  let sandbox: RunningSandbox;
  let project: Project;

  beforeAll(async () => {
    sandbox = await startSandbox({ companies: 3_000, tenders: 0, 'max-per-page': 25, 'daily-limit': 2_000 });
  });
  afterAll(async () => sandbox.stop());

  const forecast = async (market: object, ...args: string[]) => {
    project = makeProject({ api: sandbox, temporal: 'none', config: { markets: [{ name: 'demo', ...market }] } });
    try {
      const env = Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const run = await runCli(['snapshot', '--dry-run', ...args], {
        cwd: project.dir,
        env: Object.fromEntries(env) as Record<string, string>,
      });
      return { ...run, kept: existsSync(project.dataDir) };
    } finally {
      project.remove();
    }
  };

  it('forecasts requests, time and quota days with few requests, keeping nothing', async () => {
    const before = await countRequests(sandbox);
    const details = await countRequests(sandbox, 'GET /v2/companies/{id}');
    const { code, stdout, stderr, kept } = await forecast({}, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = JSON.parse(stdout) as SnapshotForecast;
    expect(told.companies).toBe(3_000);
    const streams = Object.fromEntries(told.streams.map(({ stream, requests }) => [stream, requests]));
    expect(streams).toMatchObject({ nomenclatures: 3, metrics: 2, companies: 3_000, financials: 3_000 });
    // 120 pages list the market.
    expect(streams['search']).toBeGreaterThanOrEqual(120);
    expect(streams['search']).toBeLessThan(200);
    expect(told.requests).toBe(told.streams.reduce((sum, { requests }) => sum + requests, 0));
    expect(told.seconds).toBeGreaterThan(0);
    expect(told.quota).toMatchObject({ total: 2_000, days: 4 });
    expect(told.spent).toBe((await countRequests(sandbox)) - before);
    expect(told.spent).toBeLessThan(60);
    expect(await countRequests(sandbox, 'GET /v2/companies/{id}')).toBe(details);
    expect(kept).toBe(false);
  });

  it('shows the forecast as a table and says when no daily limit is known', async () => {
    await control(sandbox, 'quota', { dailyLimit: 0 });
    const { code, stdout } = await forecast({ streams: ['companies'] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/demo, .*: 3,000 companies, 3,\d{3} requests/);
    expect(stdout).toMatch(/companies +3,000 .*3,000 new/);
    expect(stdout).not.toMatch(/financials/);
    expect(stdout).toMatch(/no daily limit/);
  });

  it('rejects a forecast with refused filters or a past date', async () => {
    const refused = await forecast({ filters: { no_such_key: 1 } });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/refuses the filters of market demo.*no_such_key/);
    const past = await forecast({}, '--date', '2026-01-01');
    expect(past.code).toBe(2);
    expect(past.stderr).toMatch(/No forecast is possible for 2026-01-01/);
  });
});
