import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { searchFor } from '../helpers/find-personal-data.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 60, tenders: 0, seed: 5, maxPerPage: 25 };
const STREAMS = [{ name: 'demo', streams: ['companies', 'ownership'] }];
const UBO = 'GET /v2/kyb/{id}/ubo';

let system: System;
let first: RunResult;
beforeAll(async () => {
  system = await startSystem({ market: MARKET, config: { personalData: 'contacts', markets: STREAMS } });
  first = await system.run('marketSnapshot', 'snapshot/demo/first');
});
afterAll(() => system?.stop());

it('stores the owners of every company, and starts no job unless told to', async () => {
  expect(first.outcome).toBe('complete');
  await system.api.expectOwnersEqualTruth(system.project, false);
  expect(await system.project.query('SELECT entity_id, reason FROM ops.rejects')).toEqual([]);
  expect(await system.project.query("SELECT path, kind FROM ops.drift WHERE stream = 'ownership'")).toEqual([]);
});

it('asks for no owners again while the answers are fresh', async () => {
  const before = await system.api.requests(UBO);
  await system.run('marketSnapshot', 'snapshot/demo/again');
  expect(await system.api.requests(UBO)).toBe(before);
  await system.api.expectOwnersEqualTruth(system.project, false);
});

it('rebuilds the same owners from the landing zone', async () => {
  const rebuilt = await system.run('rebuildWarehouse', 'rebuild/owners');
  expect(rebuilt.rejects).toBe(0);
  await system.api.expectOwnersEqualTruth(system.project, false);
});

it('forecasts one request for each company and threshold', async () => {
  const more = system.addProject({ markets: STREAMS, ownership: { thresholds: ['50%', '10%'] } });
  const project = system.project;
  system.project = more;
  const { stdout } = await system.tidemark('snapshot', '--dry-run', '--json');
  system.project = project;
  const { companies, streams } = JSON.parse(stdout) as {
    companies: number;
    streams: { stream: string; requests: number }[];
  };
  expect(streams.find(({ stream }) => stream === 'ownership')?.requests).toBe(2 * companies);
});

it('lands no name of a person without personalData: contacts', async () => {
  await system.worker.stop();
  const careful = system.addProject({ markets: STREAMS });
  const worker = await careful.startWorker();
  try {
    const result = await system.run('marketSnapshot', 'snapshot/demo/careful');
    expect(result.outcome).toBe('complete');
    const history = await system.temporal.client.workflow.getHandle('snapshot/demo/careful').fetchHistory();
    const owners = await careful.query('SELECT * FROM core.owners');
    const tree = await careful.query('SELECT * FROM marts.owners');
    expect(owners.length).toBeGreaterThan(30);
    expect(tree.filter(({ effective_share: share }) => share !== null).length).toBeGreaterThan(10);
    const places = await searchFor(careful, ['ownership'], [history, owners, tree, worker.output()]);
    const markers = system.api.ownerMarkers();
    expect(markers.length).toBeGreaterThan(30);
    expect(markers.filter((marker) => places.some((place) => place.includes(marker)))).toEqual([]);
  } finally {
    await worker.stop();
  }
});
