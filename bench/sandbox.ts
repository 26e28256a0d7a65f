import { execFileSync } from 'node:child_process';
import { Pool } from 'undici';
import { createWorld } from '../sandbox/world/index.js';
import { startSandbox, type RunningSandbox } from '../test/helpers/processes.js';
import { filterTriples } from './filter-triples.js';

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
  process.stdout.write(`sandbox: ${COMPANIES} companies, medians of ${ROUNDS} rounds\n`);
  const starts: number[] = [];
  let sandbox: RunningSandbox | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    await sandbox?.stop();
    const begun = performance.now();
    sandbox = await startSandbox(MARKET);
    starts.push((performance.now() - begun) / 1000);
  }
  print('start', `${median(starts).toFixed(1)} s`, 'below 10 s');
  try {
    await serve(sandbox!);
  } finally {
    await sandbox!.stop();
  }
}

async function serve(sandbox: RunningSandbox): Promise<void> {
  print('memory after the start', mib(sandbox.child.pid!), 'below 1024 MiB');
  const pool = new Pool(sandbox.url, { connections: CONNECTIONS });
  const headers = { authorization: `Token ${sandbox.key}`, 'content-type': 'application/json' };
  await searchRounds(pool, headers);
  await detailRounds(pool, headers);
  print('memory after the searches and details', mib(sandbox.child.pid!), 'below 1024 MiB');
  await memoryOverTime(pool, headers, sandbox.child.pid!);
  await pool.close();
}

/** Sends one search at a time, each with three filters not used before. */
async function searchRounds(pool: Pool, headers: Record<string, string>): Promise<void> {
  const [p50s, p99s, worst]: number[][] = [[], [], []];
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
      times.push(performance.now() - begun);
      if (statusCode !== 200) throw new Error(`${statusCode} for ${body}: ${text}`);
    }
    times.sort((a, b) => a - b);
    p50s!.push(times[Math.floor(times.length * 0.5)]!);
    p99s!.push(times[Math.floor(times.length * 0.99)]!);
    worst!.push(times.at(-1)!);
  }
  print('search with three filters, p50', `${median(p50s!).toFixed(1)} ms`, '');
  print('search with three filters, p99', `${median(p99s!).toFixed(1)} ms`, 'below 50 ms');
  print('slowest search of a round', `${median(worst!).toFixed(1)} ms`, '');
}

/** Measures the maximum rate of company details. The client runs on the same two cores. */
async function detailRounds(pool: Pool, headers: Record<string, string>): Promise<void> {
  const ids = someIds();
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await details(pool, headers, ids, DETAILS);
    rates.push(DETAILS / ((performance.now() - begun) / 1000));
  }
  print('company details', `${Math.round(median(rates))} a second`, 'above 5000');
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

/**
 * Measures memory after each of six series of searches and details. Growing memory means a leak; constant memory means
 * none.
 */
async function memoryOverTime(pool: Pool, headers: Record<string, string>, pid: number): Promise<void> {
  const ids = someIds();
  const readings: string[] = [];
  for (let spell = 0; spell < 6; spell++) {
    for (const filters of filterTriples(TRIPLES, 100 + spell)) {
      const body = JSON.stringify({ page: 1, per_page: 100, filters });
      await (await pool.request({ method: 'POST', path: '/v2/prospecting', headers, body })).body.dump();
    }
    await details(pool, headers, ids, DETAILS);
    readings.push(mib(pid));
  }
  print('memory while it serves', readings.join(', '), 'flat');
}

/** Returns ids of companies in the market. Computes them locally, without requests. */
function someIds(): number[] {
  const world = createWorld({ ...MARKET, tenders: 0 });
  return Array.from({ length: 10_000 }, (_, n) => world.summary(n * 97, 0).id);
}

/** Resident memory of a process, as text in MiB. */
function mib(pid: number): string {
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return `${Math.round(kib / 1024)} MiB`;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function print(what: string, figure: string, target: string): void {
  process.stdout.write(`  ${what.padEnd(32)} ${figure.padEnd(24)} ${target === '' ? '' : `target: ${target}`}\n`);
}
