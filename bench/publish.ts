import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import { formatCount } from '../schemas/format.js';
import { publishedFile } from '../src/core/data-folder.js';
import { openWarehouse, type Warehouse } from '../src/duckdb/open.js';
import { loadLanding } from '../src/load/load.js';
import { buildModels } from '../src/models/run-models.js';
import { queryPublished } from '../src/builds/published.js';
import { publish, type PublishedBuild } from '../src/publish/publish.js';
import { landChangedReports, landReports } from './financials/land-reports.js';
import { report } from './report/report.js';
import { measured, median, type ResultTable } from './report/result.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = Number(process.env['PUBLISH_ROUNDS'] ?? 4);
const NIGHTS = Number(process.env['PUBLISH_NIGHTS'] ?? 30);
const CHANGED_SHARE = 0.01;
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;

/**
 * Publishes ten million financial values in full, then 30 nights in which 1 % of the companies change. Measures the CPU
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
  await build(warehouse, dataDir);
  const rows = await warehouse.db.count('SELECT count(*) FROM core.financials');
  let night = 0;
  let made = 0;
  const next = async (full = false): Promise<{ cpu: number; result: PublishedBuild }> => {
    // Each build needs its own time.
    const now = new Date(FIRST_NIGHT + night * DAY_MS + made++);
    return cpuOf(() => publish(warehouse, dataDir, { run: `night-${night}`, now, graceSeconds: 0, keep: 1, full }));
  };
  const size = (): number => statSync(publishedFile(dataDir)).size / 2 ** 20;
  const full = [(await next(true)).cpu, (await next(true)).cpu];
  const before = size();
  const readBefore = await readTimes(warehouse, dataDir);
  const unchanged = [(await next()).cpu, (await next()).cpu];
  const costs: Record<'plain' | 'compared' | 'full', number[]> = { plain: [], compared: [], full: [] };
  for (night = 1; night <= NIGHTS; night++) {
    await landChangedReports(dataDir, {
      companies: COMPANIES,
      rounds: ROUNDS,
      night,
      at: new Date(FIRST_NIGHT + night * DAY_MS),
      share: CHANGED_SHARE,
    });
    await build(warehouse, dataDir);
    const { cpu, result } = await next();
    const [all] = await queryPublished(dataDir, 'SELECT compared_at = built_at FROM meta.receipt');
    costs[result.method === 'full' ? 'full' : all?.[0] === true ? 'compared' : 'plain'].push(cpu);
    process.stdout.write(
      `  night ${night}: ${(cpu / 1_000).toFixed(2)} s CPU, ${size().toFixed(0)} MiB; ${result.reason}\n`,
    );
  }
  const readAfter = await readTimes(warehouse, dataDir);
  // No row if no publication was of this kind.
  const row = (name: string, times: number[]): ResultTable['rows'] =>
    times.length === 0
      ? []
      : [
          {
            name,
            cells: [
              measured(
                times.map((ms) => ms / 1_000),
                'seconds',
              ),
              measured([median(times) / median(full)], 'ratio'),
              String(times.length),
            ],
          },
        ];
  report({
    bench: 'publish',
    settings: { PUBLISH_ROUNDS: ROUNDS, PUBLISH_NIGHTS: NIGHTS },
    rounds: NIGHTS,
    tables: [
      {
        name: 'CPU',
        columns: [
          `${formatCount(rows)} values, 1 % of the companies change each night`,
          'CPU',
          '÷ all rows',
          'publications',
        ],
        rows: [
          ...row('all rows written', full),
          ...row('nothing changed', unchanged),
          ...row('changed rows written', costs.plain),
          ...row('changed rows and `lake` written, all rows compared', costs.compared),
          ...row('all rows written, because the file grew', costs.full),
        ],
      },
      {
        name: 'growth',
        columns: [`after ${NIGHTS} nights`, 'compared with a file in which all rows were written'],
        rows: [
          { name: 'size of the file', cells: [measured([size() / before], 'ratio')] },
          {
            name: 'CPU of an aggregate over all rows',
            cells: [measured([readAfter.aggregate / readBefore.aggregate], 'ratio')],
          },
          {
            name: 'CPU of look-ups of one company',
            cells: [measured([readAfter.lookUp / readBefore.lookUp], 'ratio')],
          },
        ],
      },
    ],
  });
}

async function build(warehouse: Warehouse, dataDir: string): Promise<void> {
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now: new Date(FIRST_NIGHT) });
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
