import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld, type World } from '../sandbox/world/index.js';
import { indexOf } from '../sandbox/world/membership.js';
import { v1FinancialReport } from '../sandbox/world/v1/financial-report.js';
import type { LandingStream } from '../schemas/pipeline/landing.js';
import { landRows } from '../src/landing/index.js';
import { loadLanding } from '../src/load/load.js';
import { openWarehouse } from '../src/duckdb/open.js';
import { loadDrift } from '../src/load/load-drift.js';

const COMPANIES = 10_000;
const ROUNDS = 7;

/**
 * Measures the cost of detecting schema drift while loading company records and reports. Compares CPU time with and
 * without detection: other work on the machine disturbs CPU time least.
 */
export async function benchDrift(): Promise<void> {
  const world = createWorld({ companies: COMPANIES, tenders: 0, seed: 1, date: '2026-11-20' });
  const ids = world.companyIds(0);
  await measure('companies', ids, (id) => world.company(id, 0));
  await measure('financials', ids, (id) => world.financialReport(id, 0));
  await measure('financials_v1', ids, (id) => v1Of(world, id));
}

function v1Of(world: World, id: number): unknown {
  const index = indexOf(world.ctx, id);
  const report = world.financialReport(id, 0);
  return index === undefined || report === undefined
    ? { reports: [], country: null, companyId: id }
    : v1FinancialReport(world.ctx, index, report);
}

async function measure(stream: LandingStream, ids: number[], bodyOf: (id: number) => unknown): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  const rows = ids.map((id, i) => ({
    request_key: stream === 'financials_v1' ? `GET /v1/finder/company/financial?id=${id}` : `GET /v2/${stream}/${id}`,
    entity_id: String(id),
    segment: 'record',
    status: 200,
    fetched_at: new Date(Date.parse('2026-11-20T02:00:00Z') + i).toISOString(),
    body: JSON.stringify(bodyOf(id)),
  }));
  for (let i = 0; i < rows.length; i += 1000) {
    const target = { dataDir, stream, run: 'r', date: '2026-11-20', market: 'm', chunk: `c${i}` };
    await landRows(target, rows.slice(i, i + 1000));
  }
  const cpu = async (drift: typeof loadDrift): Promise<number> => {
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true, force: true });
    const warehouse = await openWarehouse(dataDir);
    const before = process.cpuUsage();
    await loadLanding(warehouse, dataDir, { drift });
    const { user, system } = process.cpuUsage(before);
    await warehouse.close();
    return (user + system) / 1000;
  };
  const [without, withDrift]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await cpu(async () => undefined));
    withDrift.push(await cpu(loadDrift));
  }
  const ratio = (median(withDrift) / median(without)).toFixed(2);
  process.stdout.write(
    `  ${rows.length} bodies of ${stream}: ${median(without).toFixed(0)} ms of CPU without, ${median(withDrift).toFixed(0)} ms with: ${ratio} ×\n`,
  );
  rmSync(dataDir, { recursive: true, force: true });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
