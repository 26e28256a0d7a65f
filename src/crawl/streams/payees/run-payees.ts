import type { Payee } from '../../../../schemas/pipeline/payees.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { payeeListFile } from '../../../store/data-folder.js';
import type { Data } from '../../../store/data.js';
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
