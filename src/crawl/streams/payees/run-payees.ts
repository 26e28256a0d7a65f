import { readFileSync } from 'node:fs';
import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { knownChecksFile, payeeListFile } from '../../../store/data-folder.js';
import type { Data } from '../../../store/data.js';
import type { Warehouse } from '../../../warehouse/duckdb/open.js';
import { oncePerAttempt } from '../lists/once-per-attempt.js';
import { takeList } from '../lists/read-list.js';
import { payeeQuestion, payeeSalt } from './question.js';
import { readPayees } from './read-payees.js';

const TODO =
  'Run `tidemark payees check FILE.csv` again: the command copies the list into the data folder, and the run removes the copy at its end.';

/**
 * Reads the list of a run. `payees` has the payees by question (`payeeQuestion`), in the order of the file. `bad` has the
 * rows that break a rule.
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
export const payeesOf = oncePerAttempt(async (data: Data, ctx: RunContext) => {
  const file = payeeListFile(data.dataDir, ctx.file ?? '');
  const { rows, bad } = readPayees(await takeList(data, ctx, file, TODO), file);
  const salt = await payeeSalt(data);
  const payees = new Map<string, Payee>();
  for (const { value } of rows) if (value !== null) payees.set(payeeQuestion(value, salt), value);
  return { payees, bad };
});

/** The latest check of a payee. */
interface KnownCheck {
  question: string;
  check_id: string;
}

/** Each of the two streams of payees has a file with the latest checks. A run plans them one after the other. */
type PayeeStream = 'payee_checks' | 'payee_reports';

/**
 * Writes a file with the latest check of each payee in the run's list. Workers need it for two purposes: to repeat a
 * stale check by its id, and to mask the payee's numbers in a report. Does nothing if the file exists.
 */
export async function keepKnownChecks(
  { db }: Warehouse,
  data: Data,
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

/** Reads the latest check of each question from the file that `keepKnownChecks` wrote. Without the file, there is none. */
export const earlierChecks = oncePerAttempt(async (data: Data, ctx: RunContext) => {
  const checks = await readKnown(data, ctx, 'payee_checks');
  return new Map(checks.map(({ question, check_id }) => [question, check_id]));
});

/** Reads the payees of each check whose report may be fetched, by the id of the check. */
export const checkedPayees = oncePerAttempt(async (data: Data, ctx: RunContext) => {
  const { payees } = await payeesOf(data, ctx);
  const byCheck = new Map<string, Payee[]>();
  for (const { question, check_id } of await readKnown(data, ctx, 'payee_reports')) {
    const payee = payees.get(question);
    if (payee !== undefined) byCheck.set(check_id, [...(byCheck.get(check_id) ?? []), payee]);
  }
  return byCheck;
});

async function readKnown(data: Data, { run }: RunContext, stream: PayeeStream): Promise<KnownCheck[]> {
  const file = knownChecksFile(data.dataDir, run, stream);
  return (await data.refresh(file)) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownCheck[]) : [];
}
