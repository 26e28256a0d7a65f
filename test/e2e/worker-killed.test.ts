import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 900, tenders: 20, seed: 11, maxPerPage: 25 };
// Only requests in flight when the worker dies may be repeated (a chunk has 500).
const IN_FLIGHT = 16;

// kill -9; `npm run test:long` also takes the signal that a deployment sends.
const SIGNALS = (process.env['KILLED_BY'] ?? 'SIGKILL').split(',') as NodeJS.Signals[];

describe.each(SIGNALS)('a worker that gets %s during a crawl', (signal) => {
  let system: System;
  let result: RunResult;

  beforeAll(async () => {
    system = await startSystem({
      market: { ...MARKET, latency: 15 },
      config: { api: { maxConcurrency: IN_FLIGHT } },
    });
    const handle = await system.start('marketSnapshot', 'snapshot/demo/killed');
    await waitUntil(
      'some hundred company records are fetched',
      async () => (await system.api.requests('GET /v2/companies/{id}')) > 250,
    );
    await system.worker.stop(signal);
    await system.startWorker();
    result = (await handle.result()) as RunResult;
  });

  afterAll(() => system?.stop());

  it('ends with the same tables after the worker is killed or stopped', async () => {
    expect(result.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('repeats only requests in flight after the worker is killed or stopped', async () => {
    const sent = await system.api.requests('GET /v2/companies/{id}');
    expect(sent).toBeLessThanOrEqual(MARKET.companies + 2 * IN_FLIGHT);
  });
});
