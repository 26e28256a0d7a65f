import type { DueEntity, DueReason } from '../../../schemas/pipeline/due.js';
import { traitsOf, type FetchedStreamName } from '../../../schemas/streams/streams.js';
import { writeFileAtomic } from '../../store/files.js';
import { LandingCorruptError } from '../duckdb/errors.js';
import { findPlan, publishPlan, type DueCounts } from './due-plan.js';
import { loadLanding } from '../load/load.js';
import type { Database } from '../duckdb/database.js';
import type { Warehouse } from '../duckdb/open.js';
import { chunkFile, dueDir } from '../../store/data-folder.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';
import type { Data } from '../../store/data.js';

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
  /** Number of crawl workers. Several workers get smaller chunks, if few entities are due. Default: 1. */
  workers?: number | undefined;
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
  /** Whether the searches of this run found the whole market. Default: false. */
  wholeMarket?: boolean | undefined;
  /** Entities that a list or the configuration names: questions to answer, or tickers. */
  questions?: readonly string[] | undefined;
}

/**
 * Reasons why a record may be due, the most valuable ones first. If the day's quota ends, the records at the end of the
 * list wait for the next day.
 */
const CLASSES: readonly (readonly DueReason[])[] = [
  ['new'],
  ['unfetched'],
  ['event', 'renamed', 'status', 'entered', 'left', 'changed', 'watched'],
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
export async function planDue(warehouse: Warehouse, data: Data, request: DueRequest): Promise<DueCounts> {
  const { dataDir } = data;
  const folder = dueDir(dataDir, request.run, request.stream);
  const planned = await findPlan(data, folder);
  if (planned !== undefined) return planned;
  await loadSoundParts(warehouse, data);
  const { db } = warehouse;
  await db.run('CREATE OR REPLACE TEMP TABLE asked_again (entity_id VARCHAR)');
  const order = await dueEntities(db, request);
  await db.run(
    `CREATE OR REPLACE TEMP TABLE due_in_order AS
    SELECT entity_id AS id, COLUMNS('^(reason|about)$'), row_number() OVER (ORDER BY ${order}) - 1 AS n
    FROM due_entities WHERE reason IS NOT NULL`,
  );
  const known = await db.count('SELECT count(*) FROM due_entities');
  return writePlan(db, { data, folder }, request, known);
}

/** Writes the entities of the table `due_in_order` to chunk files, then publishes the plan. Throws as `publishPlan`. */
export async function writePlan(
  db: Database,
  { data, folder }: { data: Data; folder: string },
  request: Pick<DueRequest, 'chunkSize' | 'workers'>,
  known: number,
): Promise<DueCounts> {
  const found = await db.rows<{ reason: DueReason; due: number }>(
    'SELECT reason, CAST(count(*) AS INTEGER) AS due FROM due_in_order GROUP BY reason ORDER BY min(n)',
  );
  const due = found.reduce((sum, each) => sum + each.due, 0);
  const chunkSize = chunkSizeFor(due, request);
  const chunks = Math.ceil(due / chunkSize);
  for (let chunk = 0; chunk < chunks; chunk++) {
    // Read one chunk at a time, because a list may have a million entities.
    const entities = await db.rows<DueEntity>(
      'SELECT * EXCLUDE (n) FROM due_in_order WHERE n >= $from AND n < $to ORDER BY n',
      { from: chunk * chunkSize, to: (chunk + 1) * chunkSize },
    );
    await writeFileAtomic(chunkFile(folder, chunk), `${JSON.stringify(entities)}\n`);
  }
  const counts: DueCounts = {
    known,
    due,
    chunks,
    reasons: Object.fromEntries(found.map((each) => [each.reason, each.due])),
  };
  await publishPlan(data, folder, counts);
  return counts;
}

// With several workers, plan this many chunks for each, if the chunks then have enough entities. At the end of a plan, a
// worker may have two chunks left while the others have none.
const PLANNED_PER_WORKER = 32;
const FEWEST_ENTITIES = 100;

/** Returns the number of entities in a chunk of a plan. Pure function. */
export function chunkSizeFor(
  due: number,
  { chunkSize, workers = 1 }: Pick<DueRequest, 'chunkSize' | 'workers'>,
): number {
  if (workers <= 1) return chunkSize;
  return Math.min(chunkSize, Math.max(FEWEST_ENTITIES, Math.ceil(due / (PLANNED_PER_WORKER * workers))));
}

/** Loads the landed parts. Skips corrupt parts: the load before publishing reports them. */
async function loadSoundParts(warehouse: Warehouse, data: Data): Promise<void> {
  try {
    await loadLanding(warehouse, data);
  } catch (error) {
    if (!(error instanceof LandingCorruptError)) throw error;
  }
}

/** SQL files that list the due records, in place of the stream's own file. */
const SPECIAL_LISTS: Partial<Record<NonNullable<DueRequest['known']>, string>> = {
  rejected: 'due/_rejected.sql',
  enriched: 'due/_enriched.sql',
};

/**
 * Makes the table `due_entities`: each known entity with the reason why it is due, or with NULL.
 * @returns the order in which to fetch the entities, as SQL
 */
export async function dueEntities(db: Database, request: DueRequest): Promise<string> {
  await db.run(
    `CREATE OR REPLACE TEMP TABLE plan AS SELECT
      CAST($run AS VARCHAR) AS run, CAST($market AS VARCHAR) AS market, CAST($stream AS VARCHAR) AS stream,
      CAST($known AS VARCHAR) AS known, CAST($wholeMarket AS BOOLEAN) AS whole_market, CAST($refreshSeconds AS DOUBLE) AS refresh_seconds, CAST($now AS TIMESTAMPTZ) AS now`,
    {
      run: request.run,
      market: request.market,
      stream: request.stream,
      known: request.known ?? 'sighted',
      wholeMarket: request.wholeMarket ?? false,
      refreshSeconds: request.refreshSeconds,
      now: request.now.toISOString(),
    },
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE asked_now AS SELECT unnest(from_json(CAST($questions AS JSON), '["VARCHAR"]')) AS question`,
    { questions: JSON.stringify(request.questions ?? []) },
  );
  await db.runFile(readSqlFile('due/_asked.sql'));
  const { due: list, ofCompanies = false } = traitsOf(request.stream);
  const special = SPECIAL_LISTS[request.known ?? 'sighted'];
  const ofQuestions = request.known === 'asked' && ofCompanies;
  if (special === undefined && !ofQuestions && ofCompanies) await db.runFile(readSqlFile('due/_companies.sql'));
  const { text } = readSqlFile(special ?? (ofQuestions ? 'due/_resolved.sql' : `due/${list}.sql`));
  await db.run(`CREATE OR REPLACE TEMP TABLE due_entities AS ${text}`);
  const rank = CLASSES.map((reasons, i) => `WHEN reason IN (${reasons.map(quote).join(', ')}) THEN ${i}`).join(' ');
  return `CASE ${rank} END, CASE WHEN reason = 'stale' THEN date_trunc('day', answered_at) END, company_id, entity_id`;
}
