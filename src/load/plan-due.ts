import { existsSync, readFileSync } from 'node:fs';
import type { DueEntity, DuePlan, DueReason } from '../../schemas/pipeline/due.js';
import { traitsOf, type FetchedStreamName } from '../../schemas/pipeline/streams.js';
import { writeFileAtomic } from '../core/files.js';
import { LandingCorruptError } from '../duckdb/errors.js';
import { loadLanding } from './load.js';
import type { Warehouse } from '../duckdb/open.js';
import { chunkFile, dueDir, duePlanFile } from '../core/data-folder.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';

/** Input of `planDue`: one stream of one run. */
export interface DueRequest {
  run: string;
  market: string | null;
  stream: FetchedStreamName;
  /** Answers older than this are due again. With 0, every answer is due. */
  refreshSeconds: number;
  now: Date;
  /** Maximum number of entities in one chunk file. */
  chunkSize: number;
  /**
   * The records from which to choose those that are due:
   * - `sighted`: companies that the searches of this run found.
   * - `members`: the latest members of the market; without a market, all companies ever seen. Used for runs without a
   *   search: past dates, backfills and owners.
   * - `rejected`: records of any stream that have an open reject.
   * - `asked`: companies that answer the run's questions.
   * - `enriched`: companies whose enrichment job succeeded in this run.
   */
  known?: 'sighted' | 'members' | 'rejected' | 'asked' | 'enriched';
  /** Entities that a list or the configuration names: questions to answer, or tickers. */
  questions?: readonly string[] | undefined;
}

/** The numbers of known entities, due entities and chunk files, and the number of due entities for each reason. */
export type DueCounts = Pick<DuePlan, 'known' | 'due' | 'chunks' | 'reasons'>;

/**
 * Reasons why a record may be due, the most valuable ones first. If the day's quota ends, the records at the end of the
 * list wait for the next day.
 */
const CLASSES: readonly (readonly DueReason[])[] = [
  ['new'],
  ['unfetched'],
  ['event', 'renamed', 'status', 'entered', 'changed', 'watched'],
  ['failed'],
  ['stale'],
];

/**
 * Loads the landed parts. Then writes the due entities to `data/runs/<run>/due/<stream>/chunk-00000.json` and so on.
 * Each file is a JSON array of `DueEntity`.
 * - Order: by CLASSES. Within a class by id, but stale entities by the day of their last answer and then by id.
 * - A second call for the same run and stream returns the same plan and keeps the files, because chunks may have
 *   landed.
 */
export async function planDue(warehouse: Warehouse, dataDir: string, request: DueRequest): Promise<DueCounts> {
  const folder = dueDir(dataDir, request.run, request.stream);
  const planFile = duePlanFile(folder);
  if (existsSync(planFile)) return JSON.parse(readFileSync(planFile, 'utf8')) as DueCounts;
  await loadSoundParts(warehouse, dataDir);
  const { known, due, reasons } = await findDue(warehouse, request);
  const chunks = Math.ceil(due / request.chunkSize);
  for (let chunk = 0; chunk < chunks; chunk++) {
    // Read one chunk at a time, because a list may have a million entities.
    const entities = await warehouse.db.rows<DueEntity>(
      'SELECT id, reason FROM due_in_order WHERE n >= $from AND n < $to ORDER BY n',
      { from: chunk * request.chunkSize, to: (chunk + 1) * request.chunkSize },
    );
    await writeFileAtomic(chunkFile(folder, chunk), `${JSON.stringify(entities)}\n`);
  }
  const counts: DueCounts = { known, due, chunks, reasons };
  // Write this file last, so that its existence proves that all chunk files exist.
  await writeFileAtomic(planFile, `${JSON.stringify(counts)}\n`);
  return counts;
}

/** Loads the landed parts. Skips corrupt parts: the load before publishing reports them. */
async function loadSoundParts(warehouse: Warehouse, dataDir: string): Promise<void> {
  try {
    await loadLanding(warehouse, dataDir);
  } catch (error) {
    if (!(error instanceof LandingCorruptError)) throw error;
  }
}

/**
 * Whether the models were built at least once. Before that, the table ops.rejects does not exist, because a model makes
 * it.
 */
async function areModelsBuilt(db: Warehouse['db']): Promise<boolean> {
  const find = "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'ops' AND table_name = 'rejects'";
  return (await db.count(find)) > 0;
}

/** SQL files that list the due records, in place of the stream's own file. */
const SPECIAL_LISTS: Partial<Record<NonNullable<DueRequest['known']>, string>> = {
  rejected: 'due/_rejected.sql',
  enriched: 'due/_enriched.sql',
};

async function findDue({ db }: Warehouse, request: DueRequest): Promise<Omit<DueCounts, 'chunks'>> {
  await db.run(
    `CREATE OR REPLACE TEMP TABLE plan AS SELECT
      CAST($run AS VARCHAR) AS run, CAST($market AS VARCHAR) AS market, CAST($stream AS VARCHAR) AS stream,
      CAST($known AS VARCHAR) AS known, CAST($refreshSeconds AS DOUBLE) AS refresh_seconds, CAST($now AS TIMESTAMPTZ) AS now`,
    {
      run: request.run,
      market: request.market,
      stream: request.stream,
      known: request.known ?? 'sighted',
      refreshSeconds: request.refreshSeconds,
      now: request.now.toISOString(),
    },
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE asked_now AS SELECT unnest(from_json(CAST($questions AS JSON), '["VARCHAR"]')) AS question`,
    { questions: JSON.stringify(request.questions ?? []) },
  );
  await db.runFile(readSqlFile('due/_asked.sql'));
  const rejected = request.known === 'rejected';
  if (rejected && !(await areModelsBuilt(db))) return { known: 0, due: 0, reasons: {} };
  const { due: list, ofCompanies = false } = traitsOf(request.stream);
  const special = SPECIAL_LISTS[request.known ?? 'sighted'];
  const ofQuestions = request.known === 'asked' && ofCompanies;
  if (special === undefined && !ofQuestions && ofCompanies) await db.runFile(readSqlFile('due/_companies.sql'));
  const { text } = readSqlFile(special ?? (ofQuestions ? 'due/_resolved.sql' : `due/${list}.sql`));
  await db.run(`CREATE OR REPLACE TEMP TABLE due_entities AS ${text}`);
  const rank = CLASSES.map((reasons, i) => `WHEN reason IN (${reasons.map(quote).join(', ')}) THEN ${i}`).join(' ');
  await db.run(
    `CREATE OR REPLACE TEMP TABLE due_in_order AS SELECT entity_id AS id, reason,
      row_number() OVER (ORDER BY CASE ${rank} END,
        CASE WHEN reason = 'stale' THEN date_trunc('day', answered_at) END, company_id, entity_id) - 1 AS n
    FROM due_entities WHERE reason IS NOT NULL`,
  );
  const reasons = await db.rows<{ reason: DueReason; due: number }>(
    'SELECT reason, CAST(count(*) AS INTEGER) AS due FROM due_in_order GROUP BY reason ORDER BY min(n)',
  );
  return {
    known: await db.count('SELECT count(*) FROM due_entities'),
    due: reasons.reduce((sum, { due }) => sum + due, 0),
    reasons: Object.fromEntries(reasons.map(({ reason, due }) => [reason, due])),
  };
}
