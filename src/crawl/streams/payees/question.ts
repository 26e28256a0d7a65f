import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Payee } from '../../../../schemas/pipeline/payees.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { payeeSaltFile } from '../../../store/data-folder.js';
import type { Data } from '../../../store/data.js';
import { createMask, maskNumber } from './mask.js';

/** Returns the salt of the data folder. The first call creates it. */
export async function payeeSalt(data: Data): Promise<string> {
  await data.shareSecret(payeeSaltFile(data.dataDir));
  return readFileSync(payeeSaltFile(data.dataDir), 'utf8').trim();
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

/**
 * Returns the question that identifies the check of a payee: its masked fields and a keyed hash of all its fields, as
 * canonical JSON. Without the salt, nobody can find an account number by hashing guesses.
 * @param salt content of the file `data/secrets/payee-salt`
 */
export function payeeQuestion(payee: Payee, salt: string): string {
  const fingerprint = createHmac('sha256', salt).update(canonicalJson(payee)).digest('hex').slice(0, 32);
  const mask = maskOf([payee]);
  const masked = Object.entries(payee).map(([field, value]: [string, string]) => [
    field,
    field === 'id' || field === 'identity_value' ? maskNumber(value) : mask(value),
  ]);
  return canonicalJson({ ...Object.fromEntries(masked), fingerprint });
}

/** Returns the keyed hash that a question contains. */
export function fingerprintOf(question: string): string {
  return (JSON.parse(question) as { fingerprint: string }).fingerprint;
}

/** Returns a function that masks the numbers of payees in a text. */
export function maskOf(payees: readonly Payee[]): (text: string) => string {
  return createMask(payees.flatMap(({ id, identity_value = '' }) => [id, identity_value]));
}
