import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { readManifests } from '../src/landing/index.js';
import { buildModels } from '../src/warehouse/models/run-models.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { openWarehouse } from '../src/warehouse/duckdb/open.js';
import { publish } from '../src/warehouse/publish/publish.js';
import { publishedFile } from '../src/store/data-folder.js';
import { queryPublished } from '../src/warehouse/builds/published.js';
import { rebuildWarehouse } from '../src/maintenance/rebuild.js';
import { formatCount } from '../schemas/format.js';
import { landRecords } from './land-records.js';
import { report } from './report/report.js';
import { measured, median, type ResultTable } from './report/result.js';
import { Data } from '../src/store/data.js';

const COMPANIES = Number(process.env['WAREHOUSE_COMPANIES'] ?? 20_000);
const ROUNDS = 3;
const NOW = new Date('2026-11-20T04:00:00Z');

/**
 * Measures the steps after landing. Each has a baseline with the same data:
 * - load of company records: COPY of their raw rows to Parquet
 * - publication while readers query: copy of the file
 * - replay of everything: COPY of all raw rows to Parquet
 *
 * `WAREHOUSE_COMPANIES` sets the number of companies.
 */
export async function benchWarehouse(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-warehouse-'));
  try {
    await landRecords(dataDir, COMPANIES);
    const rows = [await benchLoad(dataDir), await benchReplay(dataDir), await benchPublish(dataDir)];
    report({
      bench: 'warehouse',
      settings: { WAREHOUSE_COMPANIES: COMPANIES },
      rounds: ROUNDS,
      tables: [{ name: 'steps', columns: ['step', 'time', 'per second', 'compared with', '÷ its time'], rows }],
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Row = ResultTable['rows'][number];

async function benchLoad(dataDir: string): Promise<Row> {
  const onlyCompanies = mkdtempSync(path.join(tmpdir(), 'tidemark-companies-'));
  try {
    for (const part of readManifests(dataDir, { stream: 'companies' })) copyPart(part.file, dataDir, onlyCompanies);
    const load = await repeat(async () => {
      rmSync(path.join(onlyCompanies, 'warehouse'), { recursive: true, force: true });
      const warehouse = await openWarehouse(new Data(onlyCompanies));
      const seconds = await timed(() => loadLanding(warehouse, new Data(onlyCompanies)));
      await warehouse.close();
      return seconds;
    });
    const copy = await repeat(() => copyRaw(onlyCompanies));
    return rowOf('load company records into the warehouse', load, COMPANIES, [COPY_RAW, copy]);
  } finally {
    rmSync(onlyCompanies, { recursive: true, force: true });
  }
}

async function benchReplay(dataDir: string): Promise<Row> {
  const replay = await repeat(() =>
    timed(() => rebuildWarehouse(new Data(dataDir), { now: NOW, personalData: false, keep: 1 })),
  );
  const copy = await repeat(() => copyRaw(dataDir));
  const answers = readManifests(dataDir).reduce((sum, part) => sum + part.rows, 0);
  return rowOf('replay: load, models, publish', replay, answers, [COPY_RAW, copy]);
}

/** Publishes all rows while two readers open the file and query it in a loop. */
async function benchPublish(dataDir: string): Promise<Row> {
  let warehouse = await openWarehouse(new Data(dataDir));
  try {
    await buildModels(warehouse, { now: NOW });
    const state = { stop: false, reads: 0, failed: 0 };
    const readers = Array.from({ length: 2 }, async () => {
      while (!state.stop) {
        await queryPublished(dataDir, 'SELECT count(*), max(name) FROM core.companies').then(
          () => state.reads++,
          () => state.failed++,
        );
      }
    });
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const now = new Date(NOW.getTime() + (n + 1) * 60_000);
      const request = { run: `r${n}`, now, keep: 2, graceSeconds: 5 };
      const open = warehouse;
      times.push(await timed(() => publish(open, dataDir, request)));
      await warehouse.close();
      warehouse = await openWarehouse(new Data(dataDir));
    }
    state.stop = true;
    await Promise.all(readers);
    const file = realpathSync(publishedFile(dataDir));
    const copy = await repeat(() => timed(() => Promise.resolve(copyFileSync(file, `${file}.copy`))));
    rmSync(`${file}.copy`);
    const mebibytes = (statSync(file).size / 2 ** 20).toFixed(0);
    const reads = `${formatCount(state.reads)} reads, ${state.failed} failed`;
    return rowOf(`publish ${mebibytes} MiB while two readers query: ${reads}`, times, null, [
      'a copy of the file',
      copy,
    ]);
  } finally {
    await warehouse.close();
  }
}

const COPY_RAW = 'a `COPY` of the raw rows to Parquet';

/** @param items number of items that the step handles; null: show no rate */
function rowOf(name: string, seconds: number[], items: number | null, [other, base]: [string, number[]]): Row {
  const rates = items === null ? null : seconds.map((time) => items / time);
  return {
    name,
    cells: [
      measured(seconds, 'seconds'),
      rates === null ? null : measured(rates, 'per second'),
      other,
      measured([median(seconds) / median(base)], 'ratio'),
    ],
  };
}

/**
 * Measures how long DuckDB takes to write the landed rows of all parts from memory to one Parquet file.
 * @returns seconds
 */
async function copyRaw(dataDir: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const files = readManifests(dataDir).map(({ file }) => `'${file}'`);
  await connection.run(
    `CREATE TABLE raw AS SELECT entity_id, fetched_at, body FROM read_parquet([${files.join(', ')}], hive_partitioning = false)`,
  );
  const out = path.join(dataDir, 'raw.parquet');
  const seconds = await timed(() => connection.run(`COPY raw TO '${out}' (FORMAT parquet, COMPRESSION zstd)`));
  connection.closeSync();
  instance.closeSync();
  rmSync(out);
  return seconds;
}

function copyPart(file: string, from: string, to: string): void {
  const folder = path.dirname(file);
  const manifest = path.join(folder, '_manifest', path.basename(file).replace(/parquet$/, 'json'));
  for (const one of [file, manifest]) {
    const target = path.join(to, path.relative(from, one));
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(one, target);
  }
}

/** Seconds that `work` takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

async function repeat(work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await work());
  return times;
}
