import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { dueDir } from '../../store/data-folder.js';
import { placeFile, syncFile, writeFileAtomic } from '../../store/files.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import type { Warehouse } from '../duckdb/open.js';
import { quote } from '../duckdb/sql-files.js';
import { readManifests } from '../../landing/index.js';
import { findPlan, type DueCounts } from './due-plan.js';
import { dueEntities, writePlan, type DueRequest } from './plan-due.js';
import type { Data } from '../../store/data.js';

/*
 * A draft is the due plan of a stream that a run fetches after its company records. It is made together with the plan
 * of the company records. When they are landed, the draft becomes the plan, without the companies that are gone. So no
 * request has to wait until the company records are loaded.
 *
 * States: none → drafted (`draftDue`) → planned (`finishDraft`). Without a draft, `planDue` makes the plan.
 */

/**
 * Writes drafts of the plans of other streams. Call this right after `planDue` planned the company records of the same
 * run with the same connection.
 * @param requests of streams whose list is `due/financials.sql`
 */
export async function draftDue({ db }: Warehouse, dataDir: string, requests: readonly DueRequest[]): Promise<void> {
  // These companies may get another record tonight. So their drafts also hold companies that are gone now.
  await db.run('CREATE OR REPLACE TEMP TABLE asked_again AS SELECT id AS entity_id FROM due_in_order');
  for (const request of requests) {
    const order = await dueEntities(db, request);
    // A row is due if it has a reason. `gone`: its last company record so far was a 404.
    await db.run(
      `CREATE OR REPLACE TEMP TABLE drafted AS
      SELECT d.entity_id AS id, d.reason, g.entity_id IS NOT NULL AS gone, row_number() OVER (ORDER BY ${order}) AS n
      FROM due_entities AS d
      LEFT JOIN asked_again AS a USING (entity_id)
      LEFT JOIN (SELECT entity_id FROM ledger.answers WHERE stream = 'companies' AND gone) AS g USING (entity_id)
      WHERE d.reason IS NOT NULL OR a.entity_id IS NOT NULL`,
    );
    const others =
      (await db.count('SELECT count(*) FROM due_entities')) - (await db.count('SELECT count(*) FROM drafted'));
    const folder = dueDir(dataDir, request.run, request.stream);
    await placeFile(rowsFile(folder), async (file) => {
      await db.run(`COPY drafted TO ${quote(file)} (FORMAT json, ARRAY true)`);
      await syncFile(file);
    });
    // Write this file last, so that its existence proves that the draft is whole.
    await writeFileAtomic(draftFile(folder), `${JSON.stringify({ others } satisfies Draft)}\n`);
  }
}

/** Known entities that are not in the draft. */
interface Draft {
  others: number;
}

/**
 * Makes the plan of a stream from its draft. Reads the statuses of the run's landed company records.
 * @returns the counts; undefined if there is no draft, or if a landed part cannot be read
 */
export async function finishDraft(data: Data, request: DueRequest): Promise<DueCounts | undefined> {
  const { dataDir } = data;
  const folder = dueDir(dataDir, request.run, request.stream);
  if (!existsSync(draftFile(folder))) return undefined;
  const { others } = JSON.parse(readFileSync(draftFile(folder), 'utf8')) as Draft;
  const counts =
    (await findPlan(data, folder)) ??
    (await withMemory(draftFile(folder), async (db) => {
      try {
        const parts = readManifests(dataDir, { stream: 'companies', run: request.run });
        await compare(
          db,
          rowsFile(folder),
          parts.map(({ file }) => file),
        );
      } catch {
        return undefined;
      }
      return writePlan(db, { data, folder }, request, others + (await db.count('SELECT count(*) FROM kept')));
    }));
  if (counts !== undefined) for (const file of [draftFile(folder), rowsFile(folder)]) rmSync(file, { force: true });
  return counts;
}

/** Makes the tables `kept` and `due_in_order` from the rows of a draft and the parts with company records. */
async function compare(db: Database, rows: string, parts: readonly string[]): Promise<void> {
  await db.run('CREATE TABLE tonight (id VARCHAR, gone BOOLEAN)');
  // As in the ledger: if a record and a 404 have the same time, use the record.
  if (parts.length > 0)
    await db.run(
      `INSERT INTO tonight
       SELECT entity_id, arg_max(status = 404, (CAST(fetched_at AS TIMESTAMPTZ), status <> 404))
       FROM read_parquet([${parts.map(quote).join(', ')}], hive_partitioning = false)
       WHERE status = 404 OR status BETWEEN 200 AND 299
       GROUP BY entity_id`,
    );
  await db.run(
    `CREATE TABLE kept AS
     SELECT d.* FROM read_json(${quote(rows)}, format = 'array', columns = {id: 'VARCHAR', reason: 'VARCHAR', gone: 'BOOLEAN', n: 'BIGINT'}) AS d
     LEFT JOIN tonight AS t USING (id)
     WHERE NOT coalesce(t.gone, d.gone)`,
  );
  await db.run(
    'CREATE TABLE due_in_order AS SELECT id, reason, row_number() OVER (ORDER BY n) - 1 AS n FROM kept WHERE reason IS NOT NULL',
  );
}

function draftFile(folder: string): string {
  return path.join(folder, 'draft.json');
}

function rowsFile(folder: string): string {
  return path.join(folder, 'draft-0.json');
}
