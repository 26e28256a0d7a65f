import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiError, QueryAnswer } from '../../schemas/explorer/api.js';
import { freePort } from '../../src/cli/terminal/ports.js';
import { differentTables } from '../helpers/different-tables.js';
import { startProcess, type RunningProcess } from '../helpers/processes.js';
import { LIST_FUNCTIONS, randomQueries, type ListedFunction } from '../helpers/random-queries.js';
import { startSystem, type System } from '../helpers/system.js';

const SEED = Number(process.env['HOSTILE_SEED'] ?? 20_261_126);
const QUERIES = Number(process.env['HOSTILE_QUERIES'] ?? 200);
const SECONDS = 20;
/** As many as a browser has connections; more than the explorer runs at the same time. */
const AT_ONCE = 6;
const OPTIONS = {
  market: { companies: 300, tenders: 10, seed: 5, maxPerPage: 25, latency: 20 },
  config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
};

const systems: System[] = [];
let ui: RunningProcess & { readyLine: string };
let cookie: string;

const night = async (system: System, number: number): Promise<void> =>
  expect((await system.run('marketSnapshot', `snapshot/demo/${number}`)).outcome).toBe('complete');

async function start(): Promise<System> {
  const system = await startSystem(OPTIONS);
  systems.push(system);
  await night(system, 0);
  return system;
}

/** Runs a query in the console, again while too many run. */
async function run(id: string, sql: string, more: object = {}): Promise<QueryAnswer & ApiError> {
  for (;;) {
    const answer = await fetch(new URL('/api/v1/query', /http:\S+/.exec(ui.readyLine)?.[0]), {
      method: 'POST',
      body: JSON.stringify({ id, sql, seconds: SECONDS, ...more }),
      headers: { cookie, 'content-type': 'application/json' },
    });
    const said = (await answer.json()) as QueryAnswer & ApiError;
    if (!said.error?.message.includes('queries are running already')) return said;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  const { project } = await start();
  ui = await startProcess(['bin/tidemark.mjs', 'ui', '--port', String(await freePort(17_480))], {
    env: project.env,
    ready: /^Explorer +http/,
  });
  const signIn = await fetch(/http:\S+/.exec(ui.readyLine)?.[0] ?? '', { redirect: 'manual' });
  cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await ui?.stop();
  for (const system of systems) await system.stop();
});

it(`builds the same tables while ${QUERIES} random queries run`, async () => {
  const { rows } = await run('list-functions', LIST_FUNCTIONS, { rows: 50_000, seconds: 600 });
  const functions = rows.map(([name, type, parameters]) => ({ name, type, parameters }) as ListedFunction);
  const queries = randomQueries(functions, SEED, QUERIES);
  const [disturbed] = systems as [System];
  const outcomes = { answers: 0, errors: 0, deaths: 0 };
  const console = async (first: number): Promise<void> => {
    for (let i = first; i < queries.length; i += AT_ONCE) {
      const { columns, error } = await run(`random-${String(i).padStart(6, '0')}`, queries[i] ?? '');
      if (columns !== undefined) outcomes.answers++;
      else if (error.message.includes('ended the process')) outcomes.deaths++;
      else outcomes.errors++;
      expect.soft(columns !== undefined || error.todo !== '', queries[i]).toBe(true);
    }
  };
  const asked = { all: false };
  const consoles = Promise.all(Array.from({ length: AT_ONCE }, (_, i) => console(i))).then(() => (asked.all = true));
  let nights = 0;
  do await night(disturbed, ++nights);
  while (!asked.all);
  await consoles;
  process.stdout.write(`seed ${SEED}: ${JSON.stringify(outcomes)} in ${nights} nights\n`);
  expect(outcomes.answers).toBeGreaterThan(QUERIES / 10);
  expect((await run('still-works', 'SELECT 7', { seconds: 600 })).rows).toEqual([[7]]);
  expect(ui.child.exitCode).toBe(null);

  const undisturbed = await start();
  for (let i = 1; i <= nights; i++) await night(undisturbed, i);
  expect(await differentTables(disturbed.project.published, undisturbed.project.published)).toEqual([]);
}, 3_600_000);
