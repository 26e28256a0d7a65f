import { existsSync, readFileSync } from 'node:fs';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { knownChecksFile } from '../../core/data-folder.js';
import { writeFileAtomic } from '../../core/files.js';
import type { Warehouse } from '../../duckdb/open.js';
import type { CrawlDeps } from '../deps.js';

/** A payee with its latest check. */
interface KnownCheck {
  question: string;
  check_id: string;
}

type PayeeStream = 'payee_checks' | 'payee_reports';

/**
 * Writes the latest check of each payee of the run's list for the workers: a stale check is repeated by its id, and a
 * report is masked by the payee's numbers. Keeps an existing file.
 */
export async function keepKnownChecks(
  { db }: Warehouse,
  { config }: Pick<CrawlDeps, 'config'>,
  ctx: RunContext,
  stream: PayeeStream,
): Promise<void> {
  const file = knownChecksFile(config.dataDir, ctx.run, stream);
  if (existsSync(file)) return;
  const checks = await db.rows<KnownCheck>(`
    SELECT question, arg_max(check_id, (observed_at, body_hash)) AS check_id
    FROM ledger.payee_checks
    WHERE check_id IS NOT NULL AND question IN (SELECT question FROM asked_questions)
    GROUP BY question
    ORDER BY question`);
  await writeFileAtomic(file, `${JSON.stringify(checks)}\n`);
}

/** The latest checks of a run's payees. */
interface KnownChecks {
  checkOf: ReadonlyMap<string, string>;
  questionsOf: ReadonlyMap<string, string[]>;
}

// The file is read once per activity attempt: all requests of an attempt share the run's context.
const read = new WeakMap<RunContext, KnownChecks>();

/** Returns what `keepKnownChecks` wrote; empty without a file. */
export function knownChecks(dataDir: string, ctx: RunContext, stream: PayeeStream): KnownChecks {
  const known = read.get(ctx);
  if (known !== undefined) return known;
  const file = knownChecksFile(dataDir, ctx.run, stream);
  const checks = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownCheck[]) : [];
  const questionsOf = new Map<string, string[]>();
  for (const { question, check_id } of checks)
    questionsOf.set(check_id, [...(questionsOf.get(check_id) ?? []), question]);
  const found = { checkOf: new Map(checks.map(({ question, check_id }) => [question, check_id])), questionsOf };
  read.set(ctx, found);
  return found;
}
