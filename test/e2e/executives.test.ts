import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { searchFor } from '../helpers/find-personal-data.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 120, tenders: 0, seed: 5, maxPerPage: 25 };
const STREAMS = [{ name: 'demo', streams: ['companies', 'executives'] }];

let system: System;
let first: RunResult;
beforeAll(async () => {
  system = await startSystem({ market: MARKET, config: { personalData: 'contacts', markets: STREAMS } });
  first = await system.run('marketSnapshot', 'snapshot/demo/first');
});
afterAll(() => system?.stop());

it('stores every executive of the market, read over several pages', async () => {
  expect(first.outcome).toBe('complete');
  await system.api.expectExecutivesEqualTruth(system.project);
  expect(await system.project.query('SELECT entity_id, reason FROM ops.rejects')).toEqual([]);
});

it('asks for no executive again while the answers are fresh', async () => {
  const before = await system.api.requests('GET /v1/finder/company/executives');
  await system.run('marketSnapshot', 'snapshot/demo/again');
  expect(await system.api.requests('GET /v1/finder/company/executives')).toBe(before);
  await system.api.expectExecutivesEqualTruth(system.project);
});

it('lands no name, address or number of a person without personalData: contacts', async () => {
  await system.worker.stop();
  const careful = system.addProject({ markets: STREAMS });
  const worker = await careful.startWorker();
  try {
    const result = await system.run('marketSnapshot', 'snapshot/demo/careful');
    expect(result.outcome).toBe('complete');
    const history = await system.temporal.client.workflow.getHandle('snapshot/demo/careful').fetchHistory();
    const people = await careful.query('SELECT * FROM core.executives');
    expect(people.length).toBeGreaterThan(50);
    const places = await searchFor(careful, ['executives'], [history, people, worker.output()]);
    const markers = system.api.personalMarkers();
    expect(markers.length).toBeGreaterThan(50);
    expect(markers.filter((marker) => places.some((place) => place.includes(marker)))).toEqual([]);
  } finally {
    await worker.stop();
  }
});

it('reads the executives by search and details if the API refuses the listing', async () => {
  const { api } = system;
  const denied = { error_name: 'ProductPermissionDenied', error_code: 403, message: 'No permission.', data: {} };
  await api.answer({ route: '/v1/finder/company/executives', status: 403, body: denied });
  const other = system.addProject({ personalData: 'contacts', markets: STREAMS });
  const worker = await other.startWorker();
  try {
    const result = await system.run('marketSnapshot', 'snapshot/demo/search');
    expect(result.outcome).toBe('complete');
    expect(result.refused).toMatchObject([
      { endpoint: 'GET /v1/finder/company/executives', replacedBy: 'POST /v1/finder/executives' },
    ]);
    await api.expectExecutivesEqualTruth(other);
    // Once the API has refused the listing for some companies, Tidemark stops requesting it.
    expect(await api.faultsMet()).toBeLessThan(40);
  } finally {
    await api.clearFaults();
    await worker.stop();
  }
});
