import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { replayFile } from '../../../src/core/data-folder.js';
import { openWarehouse, type Warehouse } from '../../../src/duckdb/open.js';
import { loadLanding } from '../../../src/load/load.js';
import { readModels } from '../../../src/models/models.js';
import { buildModels } from '../../../src/models/run-models.js';
import { buildPartition } from '../../../src/partitions/build-partition.js';
import { combinePartitions } from '../../../src/partitions/combine.js';
import { DIVIDED_TABLES } from '../../../src/partitions/divide.js';
import { planPartitions } from '../../../src/partitions/plan.js';

const NOW = new Date('2026-11-30T12:00:00Z');
// These tables contain the time of the build, or what the plan of the models was compared with.
const ABOUT_THE_BUILD = new Set(['ops.checks', 'meta.models', 'meta.model_changes']);

/** Opens a new warehouse, and loads and builds everything in one piece. */
export async function buildWhole(dataDir: string): Promise<Warehouse> {
  const warehouse = await openWarehouse(dataDir);
  await update(warehouse, dataDir);
  return warehouse;
}

/** Opens a new warehouse, and fills it from partitions. */
export async function buildDivided(dataDir: string, of: number): Promise<Warehouse> {
  const rebuild = { id: `r${of}`, personalData: true };
  await planPartitions(dataDir, rebuild, { of, isWanted: () => true });
  const files = [];
  for (let index = 0; index < of; index++) files.push(await buildPartition(dataDir, { ...rebuild, index }));
  const warehouse = await openWarehouse(dataDir, { file: replayFile(dataDir) });
  const { models } = await combinePartitions(warehouse, dataDir, { ...rebuild, files, rejectsIn: dataDir });
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now: NOW, personalData: true, combined: models });
  return warehouse;
}

/** What a later night does. */
export async function update(warehouse: Warehouse, dataDir: string): Promise<void> {
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now: NOW, personalData: true });
}

/** All published tables, and the tables of the ledger with ids of reports replaced by what they identify. */
export async function readAll({ db }: Warehouse): Promise<Tables> {
  const tables: Tables = {};
  for (const { model } of await readModels()) {
    if (ABOUT_THE_BUILD.has(model)) continue;
    // If two bodies came at the same time, the sample may be a value of either.
    const columns = model === 'ops.drift' ? '* EXCLUDE (sample)' : '*';
    tables[model] = await db.rows(`SELECT ${columns} FROM ${model} ORDER BY ALL`);
  }
  const ofReports = new Set(['report_values', 'v1_reports', 'v1_values']);
  for (const table of [...DIVIDED_TABLES, 'dirty_companies', 'dirty_reports'] as const) {
    const columns = table === 'reports' ? '* EXCLUDE (report_id)' : '*';
    const from = ofReports.has(table)
      ? `(SELECT v.* EXCLUDE (report_id), r.company_id, r.source, r.report_hash FROM ledger.${table} AS v JOIN ledger.reports AS r USING (report_id))`
      : table === 'shapes'
        ? '(SELECT stream, route, run, path, kind, type, sum(bodies), min(first_seen), max(last_seen) FROM ledger.shapes GROUP BY ALL)'
        : `ledger.${table}`;
    tables[`ledger.${table}`] = await db.rows(`SELECT ${columns} FROM ${from} ORDER BY ALL`);
  }
  tables['ledger.loaded_parts'] = await db.rows('SELECT * EXCLUDE (loaded_at) FROM ledger.loaded_parts ORDER BY ALL');
  tables['audits'] = await db.rows('SELECT model, "check", failing_rows FROM ledger.checks ORDER BY ALL');
  return tables;
}

type Tables = Record<string, unknown[]>;

/** Returns each table that differs, with the first row that only one side has. */
export function differences(left: Tables, right: Tables): string[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.flatMap((name) => {
    const [a, b] = [left[name] ?? [], right[name] ?? []].map((rows) => rows.map((row) => JSON.stringify(row)));
    if (a!.join('\n') === b!.join('\n')) return [];
    const only = (rows: string[], others: string[]): string => rows.find((row) => !others.includes(row)) ?? '';
    return `${name}: ${a!.length} and ${b!.length} rows; ${only(a!, b!)} <> ${only(b!, a!)}`;
  });
}

/** Reads the lines of each file of rejects, and removes the files. Lines with equal sort keys have no order. */
export function takeRejects(dataDir: string): Record<string, string[]> {
  const folder = path.join(dataDir, 'rejects');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));
  const linesOf = (name: string): string[] => readFileSync(path.join(folder, name), 'utf8').split('\n').toSorted();
  const files = Object.fromEntries(names.toSorted().map((name) => [name, linesOf(name)]));
  rmSync(folder, { recursive: true });
  return files;
}
