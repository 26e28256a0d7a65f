import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWorld } from '../sandbox/world/index.js';
import { formatCount } from '../schemas/format.js';
import { publishedFile } from '../src/store/data-folder.js';
import { openWarehouse, type Warehouse } from '../src/warehouse/duckdb/open.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { buildModels } from '../src/warehouse/models/run-models.js';
import { publish, type PublishedBuild, type PublishRequest } from '../src/warehouse/publish/publish.js';
import { landChangedReports, landReports } from './financials/land-reports.js';
import { report } from './report/report.js';
import { measured, median, type ResultTable } from './report/result.js';
import { cpuMs, statementCosts, type StepCost } from './statement-costs.js';
import { DAY_MS } from '../src/base/time/time.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = Number(process.env['PUBLISH_ROUNDS'] ?? 4);
const NIGHTS = Number(process.env['PUBLISH_NIGHTS'] ?? 30);
const CHANGED_SHARE = 0.01;
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');

/**
 * Publishes ten million financial values in full, then nights in which 1 % of the companies change. Measures the CPU time
 * of full and incremental publications and of their steps, and how the file grows. On even nights, a publication compares
 * only changed rows, as it does with tables of more than 20,000,000 rows. `PUBLISH_ROUNDS` (2.6 million values each) and
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

type Kind = 'full' | 'unchanged' | 'compared' | 'plain';

async function run(dataDir: string): Promise<void> {
  await build(dataDir);
  const rows = await within(dataDir, ({ db }) => db.count('SELECT count(*) FROM core.financials'));
  const costs: Record<Kind, number[]> = { full: [], unchanged: [], compared: [], plain: [] };
  let night = 0;
  let made = 0;
  let steps = new Map<string, StepCost>();
  const next = async (options: Partial<PublishRequest> = {}): Promise<{ cpu: number; result: PublishedBuild }> => {
    // Each build needs its own time.
    const now = new Date(FIRST_NIGHT + night * DAY_MS + made++);
    return within(dataDir, async (warehouse) => {
      const before = cpuMs();
      let result: PublishedBuild | undefined;
      steps = await statementCosts(stepOf, async () => {
        result = await publish(warehouse, dataDir, {
          run: `night-${night}`,
          now,
          graceSeconds: 0,
          keep: 1,
          ...options,
        });
      });
      return { cpu: cpuMs() - before, result: result! };
    });
  };
  const size = (): number => statSync(publishedFile(dataDir)).size / 2 ** 20;
  for (let i = 0; i < 2; i++) costs.full.push((await next({ full: true })).cpu);
  const before = size();
  const readBefore = await within(dataDir, (warehouse) => readTimes(warehouse, dataDir));
  for (let i = 0; i < 2; i++) costs.unchanged.push((await next()).cpu);
  let compared = new Map<string, StepCost>();
  for (night = 1; night <= NIGHTS; night++) {
    const at = new Date(FIRST_NIGHT + night * DAY_MS);
    await landChangedReports(dataDir, { companies: COMPANIES, rounds: ROUNDS, night, at, share: CHANGED_SHARE });
    await build(dataDir);
    const isPlain = night % 2 === 0;
    const { cpu, result } = await next(isPlain ? { smallTableRows: 0 } : {});
    const kind = result.method === 'full' ? 'full' : isPlain ? 'plain' : 'compared';
    costs[kind].push(cpu);
    if (kind === 'compared') compared = steps;
    process.stdout.write(
      `  night ${night}: ${(cpu / 1_000).toFixed(2)} s CPU, ${size().toFixed(0)} MiB; ${result.reason}\n`,
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
          'CPU',
          '÷ all rows',
          'publications',
        ],
        rows: [
          costRow('all rows written', costs.full, costs.full),
          costRow('nothing changed', costs.unchanged, costs.full),
          costRow('changed rows written, all rows of changed tables compared', costs.compared, costs.full),
          costRow('changed rows written, only they compared', costs.plain, costs.full),
        ].flat(),
      },
      stepTable(compared, costs.full),
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

/** Opens and closes the warehouse in each step, as each activity of the worker does. */
async function within<T>(dataDir: string, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse(dataDir);
  try {
    return await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

async function build(dataDir: string): Promise<void> {
  await within(dataDir, (warehouse) => loadLanding(warehouse, dataDir));
  await within(dataDir, (warehouse) => buildModels(warehouse, { now: new Date(FIRST_NIGHT) }));
}

/** Makes the row of one kind of publication; no row if there was none. */
function costRow(name: string, times: number[], full: number[]): ResultTable['rows'] {
  if (times.length === 0) return [];
  const seconds = times.map((ms) => ms / 1_000);
  const share = median(times) / median(full);
  return [{ name, cells: [measured(seconds, 'seconds'), measured([share], 'ratio'), String(times.length)] }];
}

const OTHER_STEP = 'copy the file, and all other steps';

/** Returns the step of a publication that runs a statement. */
function stepOf(sql: string, file: string): string {
  if (path.basename(file) !== 'tidemark.duckdb')
    return /bit_xor/.test(sql) ? 'hash all rows of the new file' : OTHER_STEP;
  if (/changed_now|source_rows|differing_keys|TEMP TABLE temp\.difference_|SEMI JOIN/.test(sql))
    return /^(?:DELETE|INSERT)/.test(sql) ? 'delete and insert rows' : 'find the rows that differ';
  if (/^INSERT INTO build\.(?:core|marts|ops)\./.test(sql)) return 'delete and insert rows';
  if (/bit_xor/.test(sql)) return 'hash all rows of the warehouse';
  if (sql.startsWith('CHECKPOINT build')) return 'checkpoint';
  if (sql.startsWith('COPY ')) return 'write `lake-delta/`';
  return OTHER_STEP;
}

function stepTable(costs: ReadonlyMap<string, StepCost>, full: number[]): ResultTable {
  const joined = new Map<string, StepCost>();
  for (const [name, { ms, statements }] of costs) {
    const step = name === 'other' ? OTHER_STEP : name;
    const known = joined.get(step) ?? { ms: 0, statements: 0 };
    joined.set(step, { ms: known.ms + ms, statements: known.statements + statements });
  }
  return {
    name: 'steps',
    columns: ['step of the last night with all rows compared', 'CPU', '÷ all rows', 'SQL statements'],
    rows: [...joined]
      .toSorted(([, a], [, b]) => b.ms - a.ms)
      .map(([name, { ms, statements }]) => ({
        name,
        cells: [measured([ms / 1_000], 'seconds'), measured([ms / median(full)], 'ratio'), String(statements)],
      })),
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
