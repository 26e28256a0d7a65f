import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { landedParts, searchFor } from '../helpers/find-personal-data.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

// Ten pages of the employee search show ten people, so companies with more people must be searched by seniority.
const MARKET = { companies: 90, tenders: 0, seed: 5, maxPerPage: 25, employeesPerPage: 1, latency: 4 };
const SEARCH = 'POST /v2/employees';
const DETAILS = 'GET /v2/employees/{id}';
const STREAMS = [{ name: 'demo', streams: ['companies', 'employees'] }];
const PEOPLE = 'SELECT * FROM core.employees ORDER BY employee_id';

let system: System;
let first: RunResult;
beforeAll(async () => {
  system = await startSystem({ market: MARKET, config: { personalData: 'contacts', markets: STREAMS } });
  const run = await system.start('marketSnapshot', 'snapshot/demo/first');
  for (const [route, some] of [
    [SEARCH, 40],
    [DETAILS, 40],
  ] as const) {
    await waitUntil(`${some} answers of ${route}`, async () => (await system.api.requests(route)) >= some);
    await system.worker.stop('SIGKILL');
    await system.startWorker();
  }
  first = (await run.result()) as RunResult;
});
afterAll(() => system?.stop());

it('stores every employee with details, over two killed workers', async () => {
  expect(first.outcome).toBe('complete');
  await system.api.expectEmployeesEqualTruth(system.project);
  expect(await system.project.query('SELECT stream, entity_id, reason, raw FROM ops.rejects')).toEqual([]);
});

it('reads again only what was in flight when the workers were killed', async () => {
  const [known] = await system.project.query('SELECT count(*)::INTEGER AS people FROM core.employees');
  const people = Number(known?.['people']);
  expect(people).toBeGreaterThan(100);
  expect(await system.api.requests(DETAILS)).toBeLessThan(people + 40);
});

it('finds all people of companies above the page cap', async () => {
  const companies = await system.project.query(
    `SELECT c.reported::INTEGER AS reported, c.found::INTEGER AS found, c.missing::INTEGER AS missing
     FROM ops.people_coverage AS c ORDER BY reported DESC LIMIT 1`,
  );
  const { reported } = companies[0] as { reported: number };
  expect(reported).toBeGreaterThan(10);
  expect(companies).toEqual([{ reported, found: reported, missing: 0 }]);
  const split = `SELECT count(*)::INTEGER AS pages FROM read_parquet('${landedParts(system.project, 'employees')}')
    WHERE request_key LIKE '%"seniority"%'`;
  expect(Number((await system.project.query(split))[0]?.['pages'])).toBeGreaterThan(0);
});

it('gives the same tables when the landing zone is replayed', async () => {
  const history = 'SELECT * FROM core.employees_history ORDER BY ALL';
  const before = [await system.project.query(PEOPLE), await system.project.query(history)];
  await system.worker.stop();
  expect((await system.tidemark('replay')).code).toBe(0);
  expect([await system.project.query(PEOPLE), await system.project.query(history)]).toEqual(before);
  await system.startWorker();
});

it('asks for no employee again while the answers are fresh', async () => {
  const before = [await system.api.requests(SEARCH), await system.api.requests(DETAILS)];
  await system.run('marketSnapshot', 'snapshot/demo/again');
  expect([await system.api.requests(SEARCH), await system.api.requests(DETAILS)]).toEqual(before);
  await system.api.expectEmployeesEqualTruth(system.project);
});

it('lands no name, address, number or profile of a person without personalData: contacts', async () => {
  await system.worker.stop();
  const careful = system.addProject({ markets: STREAMS });
  const worker = await careful.startWorker();
  try {
    const result = await system.run('marketSnapshot', 'snapshot/demo/careful');
    expect(result).toMatchObject({ outcome: 'complete', notes: [] });
    const history = await system.temporal.client.workflow.getHandle('snapshot/demo/careful').fetchHistory();
    const people = await careful.query('SELECT * FROM core.employees');
    expect(people.length).toBeGreaterThan(50);
    const markers = system.api.personalMarkers();
    expect(markers.length).toBeGreaterThan(50);
    const places = await searchFor(careful, ['employees', 'employee_details'], [history, people, worker.output()]);
    expect(markers.filter((marker) => places.some((place) => place.includes(marker)))).toEqual([]);
  } finally {
    await worker.stop();
  }
});
