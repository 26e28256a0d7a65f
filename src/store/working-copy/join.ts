import { existsSync } from 'node:fs';
import { forgottenFile, identityFile, payeeSaltFile, personalDataKeyFile, webhookSecretFile } from '../data-folder.js';
import { openDataFolder, refuseUnfinishedCopy, unfinishedCopyFile } from '../folder-identity.js';
import { openWorkingCopy, type Data } from './open.js';
import type { WorkingCopy } from './working-copy.js';

/**
 * Opens the working copy of a machine that takes part in the work: takes the identity of the data and its secrets.
 * Does nothing if the data is in a folder.
 * @throws TidemarkError `InvalidConfig`; StorageError
 */
export async function joinData(data: Data): Promise<WorkingCopy | undefined> {
  const copy = await openWorkingCopy(data);
  if (copy === undefined) return undefined;
  const { dataDir } = copy;
  await copy.refresh(unfinishedCopyFile(dataDir));
  refuseUnfinishedCopy(dataDir, copy.storage.name);
  const identity = identityFile(dataDir);
  if (!(await copy.refresh(identity))) {
    await openDataFolder(dataDir);
    await copy.claim(identity);
  }
  for (const file of [personalDataKeyFile(dataDir), payeeSaltFile(dataDir)]) await copy.takeAgain(file);
  for (const file of [forgottenFile(dataDir), webhookSecretFile(dataDir)]) await copy.refresh(file);
  return copy;
}

/**
 * Makes a file that all machines must share, such as a secret key, valid for all of them. Call it after the file was
 * written if it was missing.
 * @param write writes the file if it is still missing
 */
export async function shareOnce(
  copy: WorkingCopy | undefined,
  file: string,
  write: () => Promise<unknown>,
): Promise<void> {
  if (existsSync(file)) return;
  if (await copy?.take(file)) return;
  await write();
  await copy?.claim(file);
}
