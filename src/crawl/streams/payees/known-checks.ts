import { readFileSync } from 'node:fs';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { knownChecksFile } from '../../../store/data-folder.js';
import type { Warehouse } from '../../../warehouse/duckdb/open.js';
import type { CrawlDeps } from '../../records/deps.js';
import type { Data } from '../../../store/data.js';

/** The latest check of a payee. */
interface KnownCheck {
  question: string;
  check_id: string;
}

type PayeeStream = 'payee_checks' | 'payee_reports';

/**
 * Writes a file with the latest check of each payee in the run's list. Workers need it for two purposes: to repeat a
 * stale check by its id, and to mask the payee's numbers in a report. Does nothing if the file exists.
 */
export async function keepKnownChecks(
  { db }: Warehouse,
  { data }: Pick<CrawlDeps, 'data'>,
  ctx: RunContext,
  stream: PayeeStream,
): Promise<void> {
  const file = knownChecksFile(data.dataDir, ctx.run, stream);
  if (await data.refresh(file)) return;
  const checks = await db.rows<KnownCheck>(`
    SELECT question, arg_max(check_id, (observed_at, body_hash)) AS check_id
    FROM ledger.payee_checks
    WHERE check_id IS NOT NULL AND question IN (SELECT question FROM asked_questions)
    GROUP BY question
    ORDER BY question`);
  await data.claim(file, `${JSON.stringify(checks)}\n`);
}

/**
 * The latest checks of a run's payees. `checkOf` gives the check of a question; `questionsOf` gives the questions of a
 * check.
 */
interface KnownChecks {
  checkOf: ReadonlyMap<string, string>;
  questionsOf: ReadonlyMap<string, string[]>;
}

// Checks by RunContext. All requests of one attempt of an activity share a RunContext object, so each attempt reads the
// file only once.
const read = new WeakMap<RunContext, KnownChecks>();

/** Reads the file that `keepKnownChecks` wrote. Without the file, the result is empty. */
export async function knownChecks(data: Data, ctx: RunContext, stream: PayeeStream): Promise<KnownChecks> {
  const known = read.get(ctx);
  if (known !== undefined) return known;
  const file = knownChecksFile(data.dataDir, ctx.run, stream);
  const checks = (await data.refresh(file)) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownCheck[]) : [];
  const questionsOf = new Map<string, string[]>();
  for (const { question, check_id } of checks)
    questionsOf.set(check_id, [...(questionsOf.get(check_id) ?? []), question]);
  const found = { checkOf: new Map(checks.map(({ question, check_id }) => [question, check_id])), questionsOf };
  read.set(ctx, found);
  return found;
}
