import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LandingStream } from '../schemas/pipeline/landing.js';
import { landRows, type NewRow } from '../src/landing/index.js';
import { buildModels } from '../src/models/run-models.js';
import { loadLanding } from '../src/load/load.js';
import { openWarehouse } from '../src/duckdb/open.js';
import { publish } from '../src/publish/publish.js';

const COMPANIES = Number(process.env['NIGHTS_COMPANIES'] ?? 20_000);
const NIGHTS = Number(process.env['NIGHTS'] ?? 365);
const CHANGED_SHARE = 0.01;
const PAGE = 100;
const CHUNK = 500;
const FIRST_DAY = Date.parse('2026-01-01T02:00:00Z');
const DAY_MS = 86_400_000;
const MARKET = 'm';

/**
 * Runs one market for many nights; 1 % of the companies change each night. Measures load, models, publication and file
 * sizes while the history grows. `NIGHTS` and `NIGHTS_COMPANIES` set smaller numbers.
 */
export async function benchNights(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-nights-'));
  process.stdout.write(`nights: ${COMPANIES} companies, ${NIGHTS} nights, ${CHANGED_SHARE * 100} % changed a night\n`);
  const costs: Cost[] = [];
  try {
    for (let night = 0; night < NIGHTS; night++) {
      await landNight(dataDir, night);
      const cost = await runNight(dataDir, night);
      costs.push(cost);
      if (isShown(night)) process.stdout.write(`${describe(night, cost)}\n`);
    }
    const compare = (of: (cost: Cost) => number): string =>
      (median(costs.slice(-5).map(of)) / median(costs.slice(1, 6).map(of))).toFixed(2);
    process.stdout.write(
      `  last night's load and models: ${compare((cost) => cost.loadMs + cost.modelsMs)} × the second's by the clock, ${compare((cost) => cost.cpuMs)} × in CPU time (medians of five nights)\n`,
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Cost {
  loadMs: number;
  modelsMs: number;
  /**
   * CPU time of load and models on all cores. If other processes use the machine, this varies less than elapsed time.
   */
  cpuMs: number;
  /** Set only on the printed nights. */
  published?: { publishMs: number } & Weights;
}

interface Weights {
  warehouseMiB: number;
  publishedMiB: number;
  lakeMiB: number;
  landingMiB: number;
}

async function runNight(dataDir: string, night: number): Promise<Cost> {
  const warehouse = await openWarehouse(dataDir);
  try {
    const before = process.cpuUsage();
    const [loadMs] = await timed(() => loadLanding(warehouse, dataDir));
    const [modelsMs] = await timed(() => buildModels(warehouse, { now: at(night, 60) }));
    const cpuMs = (process.cpuUsage(before).user + process.cpuUsage(before).system) / 1_000;
    if (!isShown(night)) return { loadMs, modelsMs, cpuMs };
    const [publishMs] = await timed(() =>
      publish(warehouse, dataDir, { run: runOf(night), now: at(night, 61), graceSeconds: 0, keep: 1 }),
    );
    return { loadMs, modelsMs, cpuMs, published: { publishMs, ...weigh(dataDir) } };
  } finally {
    await warehouse.close();
  }
}

function weigh(dataDir: string): Weights {
  const builds = path.join(dataDir, 'published', 'builds');
  const sum = (part: string): number =>
    readdirSync(builds).reduce((total, build) => total + mebibytes(path.join(builds, build, part)), 0);
  return {
    warehouseMiB: mebibytes(path.join(dataDir, 'warehouse', 'tidemark.duckdb')),
    publishedMiB: sum('market.duckdb'),
    lakeMiB: sum('lake'),
    landingMiB: mebibytes(path.join(dataDir, 'landing')),
  };
}

async function landNight(dataDir: string, night: number): Promise<void> {
  const place = { dataDir, run: runOf(night), date: dayOf(night), market: MARKET };
  const land = (stream: LandingStream, chunk: string, rows: NewRow[]) => landRows({ ...place, stream, chunk }, rows);
  const record = (stream: LandingStream, chunk: string, bodies: object[]) =>
    land(
      stream,
      chunk,
      bodies.map((body) => row(`tidemark ${stream}`, null, night, 40, body)),
    );
  await record('runs', 'open', [runRecord(night, null)]);
  const ids = Array.from(
    { length: COMPANIES },
    (_, index) => 1_000_000 + index + Math.floor(night * COMPANIES * 0.0005),
  );
  const pages = Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, page) =>
    row(`POST /v2/prospecting ${page}`, null, night, 5, {
      total_companies: ids.length,
      total_pages: Math.ceil(ids.length / PAGE),
      data: ids.slice(page * PAGE, (page + 1) * PAGE).map((id) => ({ id, name: `Company ${id}` })),
    }),
  );
  await land('prospecting', 'search-000', pages);
  const due =
    night === 0 ? ids : ids.filter((id) => (id * 7919 + night * 104_729) % Math.round(1 / CHANGED_SHARE) === 0);
  for (let from = 0; from < due.length; from += CHUNK) {
    const some = due.slice(from, from + CHUNK);
    const chunk = String(from / CHUNK).padStart(5, '0');
    await land(
      'companies',
      `companies-${chunk}`,
      some.map((id) => row(`GET /v2/companies/${id}`, id, night, 10, company(id, night))),
    );
    await land(
      'financials',
      `financials-${chunk}`,
      some.map((id) => row(`GET /v2/financial/${id}`, id, night, 20, report(id, night))),
    );
  }
  await record('coverage', 'search', [
    { market: MARKET, reported_total: ids.length, distinct_companies: ids.length, missing: 0, share: 1, why: [] },
  ]);
  await record('requests', 'close', [
    { endpoint: 'POST /v2/prospecting', requests: pages.length, errors: 0, retries: 0, bytes: 1 },
  ]);
  await record('quota', 'read', [
    { metric: 'daily', used: night, total: 0, read_at: at(night, 50).toISOString(), daily: true },
  ]);
  await record('due', 'companies', [{ stream: 'companies', reason: 'stale', entities: due.length }]);
  await record('due', 'financials', [{ stream: 'financials', reason: 'stale', entities: due.length }]);
  await record('runs', 'close', [runRecord(night, at(night, 55))]);
}

function company(id: number, night: number): object {
  return {
    id,
    name: `Company ${id}`,
    country_code: 'DK',
    registration_number: `R${id}`,
    status: night % 11 === 0 ? 'Inactive' : 'Active',
    company_phone: [`+45 ${id}${night}`],
    company_email: [`info${night}@company-${id}.example`],
    founding_date: '1999-01-01',
    size: '11-50',
    zip_code: String(1_000 + (id % 9_000)),
  };
}

function report(id: number, night: number): object {
  const year = (y: number): object => ({
    'Reported-Date': `${y}-12-31`,
    Currency: 'EUR',
    Turnover: (id % 1_000) * 1_000 + y + (y === 2025 ? night : 0),
    'Gross-Profit': (id % 500) * 100,
    EBITDA: (id % 300) * 50,
    'Profit-After-Tax': (id % 200) * 10,
    'Total-Assets': (id % 700) * 900,
    'Net-Worth': (id % 90) * 77,
    'Number-of-Employees': id % 250,
  });
  return Object.fromEntries([2023, 2024, 2025].map((y) => [String(y), year(y)]));
}

function runRecord(night: number, finished: Date | null): object {
  return {
    run_id: runOf(night),
    workflow_id: `snapshot/${MARKET}/${dayOf(night)}`,
    workflow_type: 'marketSnapshot',
    market: MARKET,
    date: dayOf(night),
    as_of_now: true,
    started_at: at(night, 0).toISOString(),
    finished_at: finished?.toISOString() ?? null,
    outcome: finished ? 'complete' : 'running',
    crawled: finished ? 'complete' : null,
    requests: 1,
    rows: 1,
    config_hash: 'c',
    filters: {},
    note: null,
    held_back: null,
  };
}

function row(request_key: string, entity: number | null, night: number, minute: number, body: object): NewRow {
  const entity_id = entity === null ? null : String(entity);
  return {
    request_key,
    entity_id,
    segment: 'record',
    status: 200,
    fetched_at: at(night, minute).toISOString(),
    body: JSON.stringify(body),
  };
}

const at = (night: number, minute: number): Date => new Date(FIRST_DAY + night * DAY_MS + minute * 60_000);
const dayOf = (night: number): string => at(night, 0).toISOString().slice(0, 10);
const runOf = (night: number): string => `run-${String(night).padStart(4, '0')}`;
const isShown = (night: number): boolean => night < 2 || night === NIGHTS - 1 || (night + 1) % 30 === 0;

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function describe(night: number, { loadMs, modelsMs, cpuMs, published }: Cost): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`.padStart(9);
  const mib = (value = 0): string => value.toFixed(1);
  return (
    `  night ${String(night + 1).padStart(3)}: load ${ms(loadMs)}, models ${ms(modelsMs)}, CPU ${ms(cpuMs)}, publish ${ms(published?.publishMs ?? 0)}` +
    `; MiB: landing ${mib(published?.landingMiB)}, warehouse ${mib(published?.warehouseMiB)}, published ${mib(published?.publishedMiB)}, lake ${mib(published?.lakeMiB)}`
  );
}

function mebibytes(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size / 2 ** 20;
  return readdirSync(file).reduce((sum, name) => sum + mebibytes(path.join(file, name)), 0);
}
