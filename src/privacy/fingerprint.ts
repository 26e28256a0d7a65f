import { createHmac } from 'node:crypto';
import { personalDataKeyFile } from '../store/data-folder.js';
import { TidemarkError } from '../base/errors.js';
import type { JsonNode } from '../base/json/json-nodes.js';
import { KEY_BYTES, readForgottenList, readKey } from './forgotten-list.js';
import type { Data } from '../store/data.js';

/** Returns the keyed hash of a text as 32 hex digits. In one data folder, equal texts give equal hashes. */
export type Fingerprint = (text: string) => string;

/**
 * Returns the fingerprint function of a data folder. The first call creates its secret key. Without this key, nobody
 * can hash guessed names and compare the results.
 * @throws TidemarkError `InvalidConfig` when the key file is damaged and no list of forgotten people holds the key, or
 * when that list cannot be read
 */
export async function openFingerprint(data: Data): Promise<Fingerprint> {
  const { dataDir } = data;
  const list = readForgottenList(dataDir);
  if (list !== undefined) return fingerprintWith(list.key);
  const file = personalDataKeyFile(dataDir);
  await data.shareSecret(file);
  const key = readKey(dataDir);
  if (key !== undefined) return fingerprintWith(key);
  throw new TidemarkError('InvalidConfig', `${file} contains no key of ${KEY_BYTES} bytes.`, {
    todo: 'Restore data/secrets from a backup. Without a backup, delete the file; then events about people may appear twice. There is no list of forgotten people here: if you ever ran `tidemark forget`, run it again with the same ids.',
    retryable: true,
  });
}

/** Returns the fingerprint function with a key. */
export function fingerprintWith(key: Buffer): Fingerprint {
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, KEY_BYTES);
}

/**
 * Converts a JSON value to a text for a fingerprint. These differences do not change the text: order of keys, format of
 * numbers, white space, and fields that are null.
 */
export function canonical(node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const stated = [...node.members].filter(([, value]) => value.kind !== 'null');
      const sorted = stated.toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(',')}}`;
    }
    case 'array':
      return `[${node.items.map(canonical).join(',')}]`;
    case 'string':
      return JSON.stringify(node.value);
    case 'number': {
      const value = Number(node.text);
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : node.text;
    }
    default:
      return node.text;
  }
}
