import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import type { LandingStream } from '../schemas/pipeline/landing.js';
import { landRows } from '../src/landing/index.js';
import { loadLanding, openWarehouse } from '../src/warehouse/index.js';
import { loadDrift } from '../src/warehouse/load-drift.js';
import { medians, printMedians } from './rounds.js';

const COMPANIES = 10_000;

/** What looking for drift adds to the load of company records and of reports. */
export async function benchDrift(): Promise<void> {
  const world = createWorld({ companies: COMPANIES, tenders: 0, seed: 1, date: '2026-11-20' });
  const ids = world.companyIds(0);
  await measure('companies', ids, (id) => world.company(id, 0));
  await measure('financials', ids, (id) => world.financialReport(id, 0));
}

async function measure(stream: LandingStream, ids: number[], bodyOf: (id: number) => unknown): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  const rows = ids.map((id) => ({
    request_key: `GET /v2/${stream}/${id}`,
    entity_id: String(id),
    segment: 'record',
    status: 200,
    fetched_at: '2026-11-20T02:00:00.000Z',
    body: JSON.stringify(bodyOf(id)),
  }));
  for (let i = 0; i < rows.length; i += 1000) {
    const target = { dataDir, stream, run: 'r', date: '2026-11-20', market: 'm', chunk: `c${i}` };
    await landRows(target, rows.slice(i, i + 1000));
  }
  const load = async (drift: typeof loadDrift): Promise<void> => {
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true, force: true });
    const warehouse = await openWarehouse(dataDir);
    await loadLanding(warehouse, dataDir, { drift });
    await warehouse.close();
  };
  process.stdout.write(`drift: ${rows.length} bodies of ${stream}, loaded into a new warehouse\n`);
  printMedians(
    await medians({ without: () => load(async () => undefined), 'with drift': () => load(loadDrift) }),
    'without',
  );
  rmSync(dataDir, { recursive: true, force: true });
}
