import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../src/config/config-schema.js';
import type { Config } from '../../../../src/config/config.js';
import { closeRun, landOpening } from '../../../../src/crawl/run/close-run.js';
import { landRecords } from '../../../../src/crawl/records/land-records.js';
import { currentNight } from '../../../../src/crawl/run/earlier-runs.js';
import type { CrawlDeps } from '../../../../src/crawl/records/deps.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { UNCHECKED } from '../../../helpers/activity-inputs.js';
import { Data } from '../../../../src/store/data.js';

const markets = [{ name: 'm', filters: { company_status: [199] } }, { name: 'k' }];
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-night-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

interface Night {
  run: string;
  at: string;
  companies: number;
  market?: string;
  outcome?: 'complete' | 'partial' | 'cancelled';
  heldBack?: string;
  date?: string;
}

/** Lands a run's records as the run does. */
async function night({ run, at, companies, market = 'm', outcome = 'complete', heldBack, date }: Night): Promise<void> {
  const config: Config = {
    ...ConfigSchema.parse({ api: { baseUrl: 'http://127.0.0.1:1' }, markets }),
    file: 'tidemark.yaml',
    fileHash: 'h',
    dataDir,
    hash: 'h',
  };
  const deps = {
    config,
    data: new Data(config.dataDir),
    clock: { now: () => new Date(at) },
  } as unknown as CrawlDeps;
  const input = { market, ...(date === undefined ? {} : { date }) };
  const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run, input });
  await landOpening(deps, ctx);
  await landRecords(deps, ctx, 'coverage', 'search', [{ market, distinct_companies: companies }]);
  await closeRun(deps, { ...UNCHECKED, ctx, outcome, note: null, heldBack: heldBack ?? null });
}

it('finds the latest night that was neither held back nor cancelled', async () => {
  const filters = { company_status: [199] };
  expect(currentNight(dataDir, 'm', filters)).toBeNull();
  await night({ run: 'n1', at: '2026-11-18T03:00:00Z', companies: 30 });
  await night({ run: 'n2', at: '2026-11-19T03:00:00Z', companies: 20, outcome: 'partial' });
  await night({ run: 'half', at: '2026-11-20T03:00:00Z', companies: 10, outcome: 'partial', heldBack: 'Held back' });
  await night({ run: 'stopped', at: '2026-11-20T04:00:00Z', companies: 5, outcome: 'cancelled' });
  await night({ run: 'past', at: '2026-11-20T05:00:00Z', companies: 4, date: '2026-01-01' });
  await night({ run: 'other', at: '2026-11-20T06:00:00Z', companies: 3, market: 'k' });
  expect(currentNight(dataDir, 'm', filters)).toEqual({ date: '2026-11-19', companies: 20, comparable: true });
});

it('prefers the later of two runs and marks other filters as not comparable', async () => {
  await night({ run: 'z', at: '2026-11-19T03:00:00Z', companies: 30 });
  await night({ run: 'a', at: '2026-11-19T08:00:00Z', companies: 25 });
  expect(currentNight(dataDir, 'm', {})).toEqual({ date: '2026-11-19', companies: 25, comparable: false });
});
