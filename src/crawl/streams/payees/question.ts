import { createHmac } from 'node:crypto';
import type { Payee } from '../../../../schemas/pipeline/payees.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { createMask, maskNumber } from './mask.js';

/**
 * Returns the question that identifies the check of a payee: its masked fields and a keyed hash of all its fields, as
 * canonical JSON. Without the salt, nobody can find an account number by hashing guesses.
 * @param salt content of the file `data/secrets/payee-salt`
 */
export function payeeQuestion(payee: Payee, salt: string): string {
  const fingerprint = createHmac('sha256', salt).update(canonicalJson(payee)).digest('hex').slice(0, 32);
  return canonicalJson({ ...maskedPayee(payee), fingerprint });
}

/** Returns the keyed hash that a question contains. */
export function fingerprintOf(question: string): string {
  return (JSON.parse(question) as { fingerprint: string }).fingerprint;
}

/** Returns a function that masks a payee's numbers in a text. */
export function maskOf({ id, identity_value }: Payee): (text: string) => string {
  return createMask(identity_value === undefined ? [id] : [id, identity_value]);
}

function maskedPayee(payee: Payee): Payee {
  const mask = maskOf(payee);
  const entries = Object.entries(payee).map(([field, value]: [string, string]) => [
    field,
    field === 'id' || field === 'identity_value' ? maskNumber(value) : mask(value),
  ]);
  return { ...payee, ...Object.fromEntries(entries) };
}
