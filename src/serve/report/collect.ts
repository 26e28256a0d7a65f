import { z } from 'zod';
import type { ReportInput } from '../../../schemas/explorer/report.js';
import * as schema from '../../../schemas/pipeline/report.js';
import { readPublishedLineage, tellLineage } from '../../warehouse/models/lineage.js';
import { hasTables } from '../../warehouse/builds/has-tables.js';
import { readSqlFile } from '../../warehouse/duckdb/sql-files.js';
import type { Published } from '../../warehouse/builds/published.js';
import type { Reader } from '../../warehouse/builds/reader.js';
import { readBreakdown } from './read-markets.js';
import { readDetails } from './read-operations.js';

/** What the report needs beside the published file. */
export interface About {
  version: string;
  now: Date;
  outcomesOf?: (runs: { workflowId: string; run: string }[]) => Promise<ReadonlyMap<string, string>>;
}

/** Reads what the page of the report shows. */
export async function collectReport(published: Published, about: About): Promise<ReportInput> {
  const facts = await collectFacts(published, about);
  const reader: Reader = { rows: async (sql, params) => published.objects(sql, params) };
  const tables = new Set(facts.tables.map(({ table }) => table));
  const breakdown = tables.has('marts.companies') ? await readBreakdown(reader, null) : [];
  return {
    facts,
    markets: { nights: facts.nights, breakdown },
    operations: { ...facts, ...(await readDetails(reader, tables)) },
  };
}

/**
 * Reads the facts of the report. Uses only the published file: not the API or the writer's file.
 * @param about `outcomesOf`: asks how runs ended that the file shows as running; returns the outcomes by run
 */
export async function collectFacts(published: Published, about: About): Promise<schema.ReportFacts> {
  const tables = await readTables(published);
  const known = new Set(tables.map(({ table }) => table));
  const read = async <T extends z.ZodType>(name: string, row: T): Promise<z.infer<T>[]> => {
    const { text } = readSqlFile(`explorer/report/${name}.sql`);
    if (!hasTables(known, text)) return [];
    return z.array(row).parse(await published.objects(text));
  };
  const [file = null] = await read('file', schema.ReportFile);
  const runs = await read('runs', schema.ReportRun);
  const running = runs.filter(({ outcome }) => outcome === 'running');
  const outcomes = await about.outcomesOf?.(running.map(({ workflow_id, run }) => ({ workflowId: workflow_id, run })));
  for (const run of running) run.outcome = outcomes?.get(run.run) ?? run.outcome;
  return {
    version: about.version,
    generated_at: about.now.toISOString(),
    file,
    nights: await read('nights', schema.ReportNight),
    runs,
    coverage: await read('coverage', schema.ReportCoverage),
    gaps: await read('gaps', schema.ReportGap),
    forecasts: await read('forecasts', schema.ReportForecast),
    requests: await read('requests', schema.ReportRequests),
    quota: await read('quota', schema.ReportQuota),
    freshness: await read('freshness', schema.ReportFreshness),
    rejects: await read('rejects', schema.ReportReject),
    drift: await read('drift', schema.ReportDrift),
    checks: await read('checks', schema.ReportCheck),
    tables,
  };
}

async function readTables(published: Published): Promise<schema.ReportTable[]> {
  const rows = z
    .array(schema.ReportColumn)
    .parse(await published.objects(readSqlFile('explorer/report/columns.sql').text));
  const lineage = await readPublishedLineage(published);
  const tables = new Map<string, schema.ReportTable>();
  for (const { table, description, rows: count, column, type, comment } of rows) {
    const known = tables.get(table) ?? { table, description, rows: count, columns: [] };
    known.columns.push({ name: column, type, comment, from: tellLineage(lineage.get(table)?.get(column) ?? {}) });
    tables.set(table, known);
  }
  return [...tables.values()];
}
