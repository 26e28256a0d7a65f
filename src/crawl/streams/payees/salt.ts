import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { payeeSaltFile } from '../../../store/data-folder.js';
import { shareSecret } from '../../../store/working-copy/open.js';
import type { Data } from '../../../store/data.js';

/** Returns the salt of the data folder. The first call creates it. */
export async function payeeSalt(data: Data): Promise<string> {
  const { dataDir } = data;
  const file = payeeSaltFile(dataDir);
  await shareSecret(data, file);
  return readFileSync(file, 'utf8').trim();
}

/** Returns the salt of the data folder; null before the first check. */
export function knownSalt(dataDir: string): string | null {
  const file = payeeSaltFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/**
 * Returns the name for a list in `data/payees/`. The name is a keyed hash: with a plain hash, the account number in a
 * short list could be guessed.
 */
export function listName(list: Buffer, salt: string): string {
  return createHmac('sha256', salt).update(list).digest('hex').slice(0, 16);
}
