import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 120, tenders: 5, seed: 19, date: '2026-11-20' };
const AHEAD = '2026-11-20T16:00:00Z';
const RIGHT = '2026-11-20T04:00:00Z';

let system: System;

const night = async (id: string, now: string): Promise<RunResult> => {
  await system.startWorker({ TIDEMARK_NOW: now });
  const result = await system.run('marketSnapshot', id);
  await system.worker.stop();
  return result;
};

beforeAll(async () => {
  system = await startSystem({
    market: MARKET,
    config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
    worker: null,
  });
});

afterAll(() => system?.stop());

it('prefers the newest answers and reports stamps of a clock 12 h ahead', async () => {
  const first = await night('snapshot/demo/ahead', AHEAD);
  expect(first.notes.join(' ')).not.toMatch(/time stamps/);
  await system.api.expectMarketEqualsTruth(system.project);

  await system.api.advanceDay();
  const second = await night('snapshot/demo/right', RIGHT);
  expect(second.outcome).toBe('complete');
  await system.api.expectMarketEqualsTruth(system.project);
  expect(second.notes.join(' ')).toMatch(
    /time stamps up to 2026-11-20T16:.*, (11|12) hours ahead of this machine's clock \(2026-11-20T04:/,
  );
  const filed = await system.project.query('SELECT note FROM ops.runs ORDER BY started_at DESC LIMIT 1');
  expect(filed).toEqual([{ note: expect.stringMatching(/time stamps up to/) }]);

  // The first build has the later name and time, but readers see the newest build.
  const status = await system.tidemarkWith({ TIDEMARK_NOW: RIGHT }, 'status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ published: { build: { newer: [] } } });
  const listed = await system.tidemarkWith({ TIDEMARK_NOW: RIGHT }, 'publish', '--list', '--json');
  const builds = JSON.parse(listed.stdout) as { builtAt: string; current: boolean }[];
  expect(builds[0]?.current).toBe(true);
  expect(builds.some(({ builtAt }) => builtAt > builds[0]!.builtAt)).toBe(true);

  const { stdout } = await system.tidemarkWith({ TIDEMARK_NOW: RIGHT }, 'doctor');
  expect(stdout).toMatch(
    new RegExp(`parts have time stamps in the future, up to 2026-11-20T16:.*runs: .*${first.run}`),
  );
});
