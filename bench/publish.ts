import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import { formatCount } from '../schemas/format.js';
import { publishedFile } from '../src/store/data-folder.js';
import { openWarehouse, type Warehouse } from '../src/warehouse/duckdb/open.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { buildModels } from '../src/warehouse/models/run-models.js';
import { publish } from '../src/warehouse/publish/publish.js';
import { landChangedReports, landReports } from './financials/land-reports.js';
import { report } from './report/report.js';
import { measured, type ResultTable } from './report/result.js';
import { cpuMs, statementCosts } from './statement-costs.js';
import { DAY_MS } from '../src/base/time/time.js';
import { Data } from '../src/store/data.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = Number(process.env['PUBLISH_ROUNDS'] ?? 4);
const NIGHTS = Number(process.env['PUBLISH_NIGHTS'] ?? 30);
const CHANGED_SHARE = 0.01;
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');

/**
 * Publishes ten million financial values, then nights in which 1 % of the companies change. Measures the CPU time of
 * publications, with the lake and without it, and how the file grows. `PUBLISH_ROUNDS` (2.6 million values each) and
 * `PUBLISH_NIGHTS` set smaller numbers.
 */
export async function benchPublish(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-publish-'));
  try {
    await landReports(dataDir, { companies: COMPANIES, rounds: ROUNDS });
    await run(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Kind = 'first' | 'unchanged' | 'night';

/** CPU milliseconds of a publication: of the `COPY` statements of its lake, and of everything else. */
interface Cost {
  file: number;
  lake: number;
}

async function run(dataDir: string): Promise<void> {
  await build(dataDir);
  const rows = await within(dataDir, ({ db }) => db.count('SELECT count(*) FROM core.financials'));
  const costs: Record<Kind, Cost[]> = { first: [], unchanged: [], night: [] };
  let made = 0;
  const next = async (kind: Kind, night: number): Promise<void> => {
    // Each build needs its own time.
    const now = new Date(FIRST_NIGHT + night * DAY_MS + made++);
    await within(dataDir, async (warehouse) => {
      const before = cpuMs();
      const steps = await statementCosts(
        (sql) => (sql.startsWith('COPY ') ? 'lake' : 'file'),
        async () => {
          await publish(warehouse, dataDir, { run: `night-${night}`, now, graceSeconds: 0, keep: 1 });
        },
      );
      const all = cpuMs() - before;
      const lake = steps.get('lake')?.ms ?? 0;
      costs[kind].push({ file: all - lake, lake });
    });
  };
  const size = (): number => statSync(publishedFile(dataDir)).size / 2 ** 20;
  await next('first', 0);
  const before = size();
  const readBefore = await within(dataDir, (warehouse) => readTimes(warehouse, dataDir));
  for (let i = 0; i < 2; i++) await next('unchanged', 0);
  for (let night = 1; night <= NIGHTS; night++) {
    const at = new Date(FIRST_NIGHT + night * DAY_MS);
    await landChangedReports(dataDir, { companies: COMPANIES, rounds: ROUNDS, night, at, share: CHANGED_SHARE });
    await build(dataDir);
    await next('night', night);
    const { file, lake } = costs.night.at(-1) ?? { file: 0, lake: 0 };
    process.stdout.write(
      `  night ${night}: file ${(file / 1_000).toFixed(2)} s CPU, lake ${(lake / 1_000).toFixed(2)} s, ${size().toFixed(0)} MiB\n`,
    );
  }
  const readAfter = await within(dataDir, (warehouse) => readTimes(warehouse, dataDir));
  report({
    bench: 'publish',
    settings: { PUBLISH_ROUNDS: ROUNDS, PUBLISH_NIGHTS: NIGHTS },
    rounds: NIGHTS,
    tables: [
      {
        name: 'CPU',
        columns: [
          `${formatCount(rows)} values, 1 % of the companies change each night`,
          'CPU without the lake',
          'CPU of the lake',
          'publications',
        ],
        rows: [
          costRow('first publication', costs.first),
          costRow('nothing changed', costs.unchanged),
          costRow('1 % changed', costs.night),
        ],
      },
      {
        name: 'growth',
        columns: [`after ${NIGHTS} nights`, 'compared with the first night'],
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

/** Opens and closes the warehouse in each step, as each activity of the worker does. */
async function within<T>(dataDir: string, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    return await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

async function build(dataDir: string): Promise<void> {
  await within(dataDir, (warehouse) => loadLanding(warehouse, new Data(dataDir)));
  await within(dataDir, (warehouse) => buildModels(warehouse, { now: new Date(FIRST_NIGHT) }));
}

/** Makes the row of one kind of publication. */
function costRow(name: string, costs: readonly Cost[]): ResultTable['rows'][number] {
  const seconds = (part: keyof Cost): number[] => costs.map((cost) => cost[part] / 1_000);
  return {
    name,
    cells: [measured(seconds('file'), 'seconds'), measured(seconds('lake'), 'seconds'), String(costs.length)],
  };
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
    return { aggregate, lookUp };
  } finally {
    await db.run('DETACH read');
  }
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = cpuMs();
  await work();
  return cpuMs() - before;
}
