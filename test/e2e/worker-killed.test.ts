import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 900, tenders: 20, seed: 11, maxPerPage: 25 };
// Only requests in flight when the worker dies may be repeated (a chunk has 500).
const IN_FLIGHT = 16;

// Requests of another user of the API key, while no worker runs.
const FOREIGN = 100;

// kill -9; `npm run test:long` also takes the signal that a deployment sends, and looks for another user.
const LONG = process.env['KILLED_BY'];
const SIGNALS = (LONG ?? 'SIGKILL').split(',') as NodeJS.Signals[];

describe.each(SIGNALS)('a worker that gets %s during a crawl', (signal) => {
  let system: System;
  let result: RunResult;

  beforeAll(async () => {
    system = await startSystem({
      market: { ...MARKET, latency: 15 },
      config: {
        api: { maxConcurrency: IN_FLIGHT },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
    result = await killed('snapshot/demo/killed');
  });

  /** Runs a market. Kills its worker when some hundred company records are fetched. */
  const killed = async (id: string, whileDown = async (): Promise<void> => undefined): Promise<RunResult> => {
    const before = await system.api.requests('GET /v2/companies/{id}');
    const handle = await system.start('marketSnapshot', id);
    await waitUntil(
      'some hundred company records are fetched',
      async () => (await system.api.requests('GET /v2/companies/{id}')) > before + 250,
    );
    await system.worker.stop(signal);
    await whileDown();
    await system.startWorker();
    return (await handle.result()) as RunResult;
  };

  afterAll(() => system?.stop());

  it('ends with the same tables after the worker is killed or stopped', async () => {
    expect(result.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('repeats only requests in flight after the worker is killed or stopped', async () => {
    const sent = await system.api.requests('GET /v2/companies/{id}');
    expect(sent).toBeLessThanOrEqual(MARKET.companies + 2 * IN_FLIGHT);
  });

  it('logs every request that it sent, so no quota overuse is reported', async () => {
    const arrived = await system.api.requests('GET /v2/companies/{id}');
    const logged = await system.project.query(
      `SELECT sum(requests)::INTEGER AS n, (sum(requests) FILTER (endpoint = 'unknown'))::INTEGER AS unknown
       FROM ops.requests WHERE endpoint IN ('GET /v2/companies/{id}', 'unknown')`,
    );
    expect(logged[0]?.['n']).toBeGreaterThanOrEqual(arrived);
    expect(Number(logged[0]?.['n']) - Number(logged[0]?.['unknown'] ?? 0)).toBeLessThanOrEqual(arrived);
    expect(await system.project.query('SELECT overuse::INTEGER AS overuse FROM ops.quota_overuse')).toEqual([
      { overuse: 0 },
    ]);
    expect(result.notes.join(' ')).not.toMatch(/The API counted/);
  });

  if (LONG === undefined) return;

  it('still reports another user of the API key', async () => {
    const headers = { authorization: `Token ${system.api.key}` };
    const { notes, run } = await killed('snapshot/demo/foreign', async () => {
      for (let call = 0; call < FOREIGN; call++) await fetch(`${system.api.url}/v2/financial/1`, { headers });
    });
    expect(notes.join(' ')).toMatch(/The API counted .*another user of the API key or a lost machine sent the other/);
    const [found] = await system.project.query(
      `SELECT overuse::INTEGER AS overuse FROM ops.quota_overuse WHERE run = '${run}'`,
    );
    expect(found?.['overuse']).toBeLessThanOrEqual(FOREIGN);
    // The run also sent requests that the API does not count, such as lookup lists.
    expect(found?.['overuse']).toBeGreaterThanOrEqual(FOREIGN / 2);
  });
});
