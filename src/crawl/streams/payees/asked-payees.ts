import { readFileSync } from 'node:fs';
import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { keepsContacts } from '../../../config/config.js';
import { payeeListFile } from '../../../store/data-folder.js';
import { landRows } from '../../../landing/index.js';
import { payeeQuestion } from './question.js';
import { readPayees, type PayeeRow } from './read-payees.js';
import { payeeSalt } from './salt.js';
import type { Data } from '../../../store/data.js';
import type { CrawlDeps } from '../../records/deps.js';
import { wrongInput } from '../../../base/parse-input.js';

/** The rows of a run's list of payees. `bad` holds the rows that break a rule. */
interface RunPayees {
  /** The payees by question (`payeeQuestion`), in the order of the file. */
  payees: ReadonlyMap<string, Payee>;
  bad: PayeeRow[];
}

// Lists by RunContext. All requests of one attempt of an activity share a RunContext object, so each attempt reads its
// list only once.
const lists = new WeakMap<RunContext, Promise<RunPayees>>();

/**
 * Returns the payees of a run's list.
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
export async function payeesOf(data: Data, ctx: RunContext): Promise<RunPayees> {
  const known = lists.get(ctx);
  if (known !== undefined) return known;
  const read = readRunPayees(data, ctx);
  lists.set(ctx, read);
  return read;
}

async function readRunPayees(data: Data, ctx: RunContext): Promise<RunPayees> {
  const file = payeeListFile(data.dataDir, ctx.file ?? '');
  if (ctx.file === undefined || !(await data.refresh(file))) {
    throw wrongInput(
      `the list ${file} does not exist`,
      'Run `tidemark payees check FILE.csv` again: the command copies the list into the data folder, and the run removes the copy at its end. A worker on another machine needs the same data folder.',
    );
  }
  const { rows } = readPayees(readFileSync(file), file);
  const salt = await payeeSalt(data);
  const payees = new Map<string, Payee>();
  for (const { value } of rows) if (value !== null) payees.set(payeeQuestion(value, salt), value);
  return { payees, bad: rows.filter(({ value }) => value === null) };
}

/**
 * Returns the questions of a run's list. Lands the rows that break a rule, so that ops.rejects lists them. Lands their
 * text only with `personalData: contacts`, because it contains account numbers.
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
export async function askedPayees(
  { config, data, clock }: Pick<CrawlDeps, 'config' | 'data' | 'clock'>,
  ctx: RunContext,
): Promise<string[]> {
  const { payees, bad } = await payeesOf(data, ctx);
  const at = clock.now().toISOString();
  const textOf = ({ cells }: PayeeRow): string =>
    keepsContacts(config) ? `: ${cells.join(' | ').slice(0, 1_000)}` : '';
  await landRows(
    { data, stream: 'payee_checks', run: ctx.run, date: ctx.date, market: null, chunk: 'bad-rows' },
    bad.map((row) => ({
      request_key: `CSV ${ctx.file} line ${row.line}`,
      entity_id: `${ctx.file} line ${row.line}`,
      row_kind: 'bad-row',
      status: 0,
      fetched_at: at,
      body: `${row.problem}${textOf(row)}`,
    })),
  );
  return [...payees.keys()];
}
