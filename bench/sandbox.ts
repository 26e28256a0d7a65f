import { execFileSync } from 'node:child_process';
import { Pool } from 'undici';
import { formatCount } from '../schemas/format.js';
import { createWorld } from '../sandbox/world/index.js';
import { startSandbox, type RunningSandbox } from '../test/helpers/processes.js';
import { filterTriples } from './filter-triples.js';
import { report } from './report/report.js';
import { measured, type Cell, type ResultTable } from './report/result.js';

const COMPANIES = 1_000_000;
const MARKET = { companies: COMPANIES, seed: 1, date: '2026-11-20' };
const ROUNDS = 5;
const TRIPLES = 400;
const DETAILS = 20_000;
const CONNECTIONS = 32;

/**
 * Measures a sandbox with a million companies in its own process: start time, memory, searches and details over HTTP.
 */
export async function benchSandbox(): Promise<void> {
  const starts: number[] = [];
  let sandbox: RunningSandbox | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    await sandbox?.stop();
    const begun = performance.now();
    sandbox = await startSandbox(MARKET);
    starts.push((performance.now() - begun) / 1000);
  }
  try {
    report({
      bench: 'sandbox',
      settings: {},
      rounds: ROUNDS,
      tables: [
        {
          name: 'speed',
          columns: [`${formatCount(COMPANIES)} companies`, 'measured', 'target'],
          rows: [row('start', measured(starts, 'seconds'), 'below 10 s'), ...(await serve(sandbox!))],
        },
      ],
    });
  } finally {
    await sandbox!.stop();
  }
}

type Row = ResultTable['rows'][number];

const row = (name: string, cell: Cell, target: string | null = null): Row => ({ name, cells: [cell, target] });

async function serve(sandbox: RunningSandbox): Promise<Row[]> {
  const pid = sandbox.child.pid!;
  const atStart = mib(pid);
  const pool = new Pool(sandbox.url, { connections: CONNECTIONS });
  const headers = { authorization: `Token ${sandbox.key}`, 'content-type': 'application/json' };
  const searches = await searchRounds(pool, headers);
  const rates = await detailRounds(pool, headers);
  const early = mib(pid);
  await serveMore(pool, headers);
  await pool.close();
  return [
    row('memory after the start', measured([atStart], 'MiB'), 'below 1 GiB'),
    ...searches,
    row('company details', measured(rates, 'per second'), 'above 5,000 a second'),
    row('memory after these searches and details', measured([early], 'MiB'), 'below 1 GiB'),
    row('memory after twice as many', measured([mib(pid)], 'MiB'), 'the same'),
  ];
}

/** Sends one search at a time, each with three filters not used before. */
async function searchRounds(pool: Pool, headers: Record<string, string>): Promise<Row[]> {
  const [p50s, p99s, worst]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    for (const filters of filterTriples(TRIPLES, round + 1)) {
      const body = JSON.stringify({ page: 1, per_page: 100, filters });
      const begun = performance.now();
      const { statusCode, body: answer } = await pool.request({
        method: 'POST',
        path: '/v2/prospecting',
        headers,
        body,
      });
      const text = await answer.text();
      times.push((performance.now() - begun) / 1_000);
      if (statusCode !== 200) throw new Error(`${statusCode} for ${body}: ${text}`);
    }
    times.sort((a, b) => a - b);
    p50s.push(times[Math.floor(times.length * 0.5)]!);
    p99s.push(times[Math.floor(times.length * 0.99)]!);
    worst.push(times.at(-1)!);
  }
  return [
    row('search with three filters, p50', measured(p50s, 'seconds')),
    row('search with three filters, p99', measured(p99s, 'seconds'), 'below 50 ms'),
    row('slowest search of a round', measured(worst, 'seconds')),
  ];
}

/** Measures the maximum rate of company details. The client runs on the same two cores. */
async function detailRounds(pool: Pool, headers: Record<string, string>): Promise<number[]> {
  const ids = someIds();
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await details(pool, headers, ids, DETAILS);
    rates.push(DETAILS / ((performance.now() - begun) / 1000));
  }
  return rates;
}

async function details(pool: Pool, headers: Record<string, string>, ids: number[], count: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS * 2 }, async () => {
      while (next < count) {
        const id = ids[next++ % ids.length]!;
        const { statusCode, body } = await pool.request({ method: 'GET', path: `/v2/companies/${id}`, headers });
        await body.dump();
        if (statusCode !== 200) throw new Error(`${statusCode} for company ${id}`);
      }
    }),
  );
}

/** Sends as many searches and details again. Growing memory would mean a leak. */
async function serveMore(pool: Pool, headers: Record<string, string>): Promise<void> {
  const ids = someIds();
  for (let round = 0; round < ROUNDS; round++) {
    for (const filters of filterTriples(TRIPLES, 100 + round)) {
      const body = JSON.stringify({ page: 1, per_page: 100, filters });
      await (await pool.request({ method: 'POST', path: '/v2/prospecting', headers, body })).body.dump();
    }
    await details(pool, headers, ids, DETAILS);
  }
}

/** Returns ids of companies in the market. Computes them locally, without requests. */
function someIds(): number[] {
  const world = createWorld({ ...MARKET, tenders: 0 });
  return Array.from({ length: 10_000 }, (_, n) => world.summary(n * 97, 0).id);
}

/** Resident memory of a process in MiB. */
function mib(pid: number): number {
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return kib / 1_024;
}
