import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld, type World } from '../sandbox/world/index.js';
import { indexOf } from '../sandbox/world/membership.js';
import { v1FinancialReport } from '../sandbox/world/v1/financial-report.js';
import { formatCount } from '../schemas/format.js';
import type { LandingStream } from '../schemas/streams/landing-streams.js';
import { landRows } from '../src/landing/index.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { openWarehouse } from '../src/warehouse/duckdb/open.js';
import { loadDrift } from '../src/warehouse/load/load-drift.js';
import { report } from './report/report.js';
import { measured, median, type ResultTable } from './report/result.js';
import { cpuMs } from './statement-costs.js';
import { Data } from '../src/store/data.js';

const COMPANIES = 10_000;
const ROUNDS = 7;

/**
 * Measures the cost of detecting schema drift while loading company records and reports. Compares CPU time with and
 * without detection: other work on the machine disturbs CPU time least.
 */
export async function benchDrift(): Promise<void> {
  const world = createWorld({ companies: COMPANIES, tenders: 0, seed: 1, date: '2026-11-20' });
  const ids = world.companyIds(0);
  const rows = [
    await measure('company records', 'companies', ids, (id) => world.company(id, 0)),
    await measure('reports of version 2', 'financials', ids, (id) => world.financialReport(id, 0)),
    await measure('reports of version 1', 'financials_v1', ids, (id) => v1Of(world, id)),
  ];
  report({
    bench: 'drift',
    settings: {},
    rounds: ROUNDS,
    tables: [
      {
        name: 'drift',
        columns: [`CPU to load ${formatCount(COMPANIES)} bodies`, 'without the search', 'with it', 'ratio'],
        rows,
      },
    ],
  });
}

function v1Of(world: World, id: number): unknown {
  const index = indexOf(world.ctx, id);
  const financials = world.financialReport(id, 0);
  return index === undefined || financials === undefined
    ? { reports: [], country: null, companyId: id }
    : v1FinancialReport(world.ctx, index, financials);
}

async function measure(
  name: string,
  stream: LandingStream,
  ids: number[],
  bodyOf: (id: number) => unknown,
): Promise<ResultTable['rows'][number]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  const rows = ids.map((id, i) => ({
    request_key: stream === 'financials_v1' ? `GET /v1/finder/company/financial?id=${id}` : `GET /v2/${stream}/${id}`,
    entity_id: String(id),
    row_kind: 'record',
    status: 200,
    fetched_at: new Date(Date.parse('2026-11-20T02:00:00Z') + i).toISOString(),
    body: JSON.stringify(bodyOf(id)),
  }));
  for (let i = 0; i < rows.length; i += 1000) {
    const target = { data: new Data(dataDir), stream, run: 'r', date: '2026-11-20', market: 'm', chunk: `c${i}` };
    await landRows(target, rows.slice(i, i + 1000));
  }
  const cpu = async (drift: typeof loadDrift): Promise<number> => {
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true, force: true });
    const warehouse = await openWarehouse(new Data(dataDir));
    const before = cpuMs();
    await loadLanding(warehouse, new Data(dataDir), { drift });
    const seconds = (cpuMs() - before) / 1_000;
    await warehouse.close();
    return seconds;
  };
  const [without, withDrift]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await cpu(async () => undefined));
    withDrift.push(await cpu(loadDrift));
  }
  rmSync(dataDir, { recursive: true, force: true });
  return {
    name,
    cells: [
      measured(without, 'seconds'),
      measured(withDrift, 'seconds'),
      measured([median(withDrift) / median(without)], 'ratio'),
    ],
  };
}
