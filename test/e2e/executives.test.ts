import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import type { Project } from '../helpers/project.js';
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
    // Parquet and DuckDB files may compress their pages, so the bodies and the table are searched as text, too.
    const texts = [history, people, await landedBodies(careful), worker.output()].map((value) => JSON.stringify(value));
    const places = [...filesBelow(careful.dataDir), ...texts.map((text) => Buffer.from(text))];
    const markers = system.api.personalMarkers();
    expect(markers.length).toBeGreaterThan(50);
    expect(markers.filter((marker) => places.some((place) => place.includes(marker)))).toEqual([]);
  } finally {
    await worker.stop();
  }
});

function filesBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file));
}

async function landedBodies(project: Project): Promise<Record<string, unknown>[]> {
  const parts = path.join(project.dataDir, 'landing', 'executives', '**', '*.parquet');
  return project.query(`SELECT body FROM read_parquet('${parts}')`);
}
