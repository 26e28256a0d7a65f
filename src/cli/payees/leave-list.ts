import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { payeesId } from '../../../workflows/ids.js';
import { payeeListFile, payeeListInput } from '../../store/data-folder.js';
import { writeFileAtomic } from '../../store/files.js';
import { listName } from '../../crawl/streams/payees/question.js';
import { formatCount } from '../../../schemas/format.js';
import { connectForFolder } from '../../temporal/connect-folder.js';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { listRun } from '../lists/list-run.js';
import { HOUR_MS } from '../../base/time/time.js';
import type { Data } from '../../store/data.js';

// Remove only lists that are older than this, in milliseconds: Temporal may not list the run of a younger list yet.
const ABANDONED_AFTER_MS = HOUR_MS;

/** Copies the list to the data folder for the workers. A run that ends removes the copy. */
export async function leaveList(
  data: Data,
  { bytes, salt, payees }: { bytes: Buffer; salt: string; payees: number },
  options: { recheckOlderThan: number; reports: boolean },
): Promise<RunRequest> {
  const { dataDir } = data;
  await removeAbandonedLists(dataDir);
  const hash = listName(bytes, salt);
  const list = payeeListFile(dataDir, `${hash}.csv`);
  await writeFileAtomic(list, bytes);
  await data.give(list);
  const input = {
    file: payeeListInput(`${hash}.csv`),
    recheckAfterSeconds: options.recheckOlderThan,
    ...(options.reports ? {} : { reports: false }),
  };
  return listRun('checkPayees', payeesId(hash), input, {
    summary: `Checks of ${formatCount(payees)} payees`,
    details: 'Checks the payees of a list, loads, builds the models and publishes core.payee_checks.',
  });
}

/** Removes lists of runs that were terminated, because such a run cannot remove its list. */
async function removeAbandonedLists(dataDir: string): Promise<void> {
  const old = oldLists(path.dirname(payeeListFile(dataDir, 'any.csv')));
  if (old.length === 0) return;
  const temporal = await connectForFolder(dataDir, 'read');
  try {
    if (await isAnyRunning(temporal.client)) return;
    for (const file of old) await rm(file, { force: true });
  } finally {
    await temporal.close();
  }
}

function oldLists(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names
    .map(({ name }) => path.join(folder, name))
    .filter((file) => Date.now() - statSync(file).mtimeMs > ABANDONED_AFTER_MS);
}

async function isAnyRunning(client: Client): Promise<boolean> {
  const query = "WorkflowType = 'checkPayees' AND ExecutionStatus = 'Running'";
  for await (const _ of client.workflow.list({ query })) return true;
  return false;
}
