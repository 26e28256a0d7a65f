import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import { formatCount } from '../schemas/format.js';
import { publishedFile } from '../src/core/data-folder.js';
import { openWarehouse, type Warehouse } from '../src/duckdb/open.js';
import { landRows, type NewRow } from '../src/landing/index.js';
import { loadLanding } from '../src/load/load.js';
import { buildModels } from '../src/models/run-models.js';
import { publish } from '../src/publish/publish.js';
import { landReports } from './financials/land-reports.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = Number(process.env['PUBLISH_ROUNDS'] ?? 4);
const NIGHTS = Number(process.env['PUBLISH_NIGHTS'] ?? 30);
const CHANGED_SHARE = 0.01;
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;

/**
 * Publishes ten million financial values in full, then 30 nights in which 1 % of the companies change. Prints the CPU
 * time of full and incremental publications, and how the file grows. `PUBLISH_ROUNDS` (2.6 million values each) and
 * `PUBLISH_NIGHTS` set smaller numbers.
 */
export async function benchPublish(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-publish-'));
  try {
    await landReports(dataDir, { companies: COMPANIES, rounds: ROUNDS });
    const warehouse = await openWarehouse(dataDir);
    try {
      await run(warehouse, dataDir);
    } finally {
      await warehouse.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function run(warehouse: Warehouse, dataDir: string): Promise<void> {
  const models = await cpuOf(() => build(warehouse, dataDir));
  const rows = await warehouse.db.count('SELECT count(*) FROM core.financials');
  process.stdout.write(
    `publish: ${formatCount(rows)} rows in core.financials, ${CHANGED_SHARE * 100} % of the companies changed a night\n`,
  );
  process.stdout.write(`  load and models, first night: ${seconds(models.cpu)} CPU\n`);
  let night = 0;
  const next = (full = false) =>
    cpuOf(() =>
      publish(warehouse, dataDir, {
        run: `night-${night}`,
        now: new Date(FIRST_NIGHT + night * DAY_MS + (full ? 1 : 0)),
        graceSeconds: 0,
        keep: 1,
        full,
      }),
    );
  const size = (): number => statSync(publishedFile(dataDir)).size / 2 ** 20;
  const full = [(await next(true)).cpu, (await next(true)).cpu];
  const before = size();
  const readBefore = await readTimes(warehouse, dataDir);
  process.stdout.write(`  full: ${full.map(seconds).join(' and ')} CPU, ${before.toFixed(0)} MiB\n`);
  const unchanged = await next();
  process.stdout.write(`  nothing changed: ${seconds(unchanged.cpu)} CPU\n`);
  const nights: number[] = [];
  for (night = 1; night <= NIGHTS; night++) {
    await landChanged(dataDir, night);
    const built = await cpuOf(() => build(warehouse, dataDir));
    const published = await next();
    if (published.result.method === 'incremental') nights.push(published.cpu);
    if (night <= 3 || night % 10 === 0 || published.result.method === 'full')
      process.stdout.write(
        `  night ${String(night).padStart(2)}: models ${seconds(built.cpu)}, publish ${seconds(published.cpu)} CPU, ${size().toFixed(0)} MiB; ${published.result.reason}\n`,
      );
  }
  const share = median(nights) / median(full);
  process.stdout.write(
    `  incremental ÷ full: ${share.toFixed(3)} (medians: ${seconds(median(nights))} of ${nights.length} nights, ${seconds(median(full))})\n`,
  );
  const readAfter = await readTimes(warehouse, dataDir);
  process.stdout.write(
    `  after ${NIGHTS} nights: file ${(size() / before).toFixed(2)} ×, aggregate ${(readAfter.aggregate / readBefore.aggregate).toFixed(2)} ×, look-up ${(readAfter.lookUp / readBefore.lookUp).toFixed(2)} × (CPU)\n`,
  );
}

async function build(warehouse: Warehouse, dataDir: string): Promise<void> {
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now: new Date(FIRST_NIGHT) });
}

/** Lands the reports of 1 % of the companies again, with other values in one of the years. */
export async function landChanged(dataDir: string, night: number): Promise<void> {
  const date = new Date(FIRST_NIGHT + night * DAY_MS).toISOString();
  const place = { dataDir, run: `night-${night}`, date: date.slice(0, 10), market: 'm' };
  const rows: NewRow[] = [];
  const every = Math.round(1 / CHANGED_SHARE);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, id] of WORLD.companyIds(0).entries()) {
      if ((index * 7_919 + night * 104_729 + round) % every !== 0) continue;
      const report = Object.entries(WORLD.financialReport(id, 0) ?? {}).map(([year, values], i) => [
        year,
        i === 0 ? { ...(values as object), Turnover: night * 1_000 + index } : values,
      ]);
      const entity = String(id + round * 100_000_000);
      rows.push({
        request_key: `GET /v2/financial/${entity}`,
        entity_id: entity,
        segment: 'record',
        status: 200,
        fetched_at: date,
        body: JSON.stringify(Object.fromEntries(report)),
      });
    }
  await landRows({ ...place, stream: 'financials', chunk: 'financials-00000' }, rows);
}

const WORLD = createWorld({ companies: COMPANIES, tenders: 0, seed: 1, date: '2026-11-20' });

/** CPU milliseconds of an aggregate over all rows, and of 100 look-ups of one company each. */
async function readTimes({ db }: Warehouse, dataDir: string): Promise<{ aggregate: number; lookUp: number }> {
  await db.run(`ATTACH '${publishedFile(dataDir)}' AS read (READ_ONLY)`);
  try {
    const aggregate = await cpuOf(async () => {
      for (let i = 0; i < 5; i++)
        await db.rows('SELECT indicator, count(*), sum(value_double) FROM read.core.financials GROUP BY ALL');
    });
    const known = WORLD.companyIds(0);
    const lookUp = await cpuOf(async () => {
      for (let i = 0; i < 100; i++)
        await db.rows(`FROM read.core.financials WHERE company_id = ${known[(i * 197) % known.length]}`);
    });
    return { aggregate: aggregate.cpu, lookUp: lookUp.cpu };
  } finally {
    await db.run('DETACH read');
  }
}

async function cpuOf<T>(work: () => Promise<T>): Promise<{ cpu: number; result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1_000, result };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
