import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { personalDataKeyFile } from '../core/data-folder.js';
import { TidemarkError } from '../core/errors.js';
import { writeFileOnce } from '../core/files.js';
import { shareOnce } from '../working-copy/join.js';
import { workingCopyOf } from '../working-copy/open.js';
import type { JsonNode } from '../core/json-nodes.js';

/** Returns the keyed hash of a text as 32 hex digits. In one data folder, equal texts give equal hashes. */
export type Fingerprint = (text: string) => string;

const KEY_BYTES = 32;

/**
 * Returns the fingerprint function of a data folder. The first call creates its secret key. Without this key, nobody
 * can hash guessed names and compare the results.
 * @throws TidemarkError `InvalidConfig` when the key file is damaged
 */
export async function openFingerprint(dataDir: string): Promise<Fingerprint> {
  const file = personalDataKeyFile(dataDir);
  await shareOnce(workingCopyOf(dataDir), file, () =>
    writeFileOnce(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`),
  );
  return fingerprintOf(file);
}

/** Returns the fingerprint function if the data folder has a key; undefined otherwise. */
export function findFingerprint(dataDir: string): Fingerprint | undefined {
  const file = personalDataKeyFile(dataDir);
  return existsSync(file) ? fingerprintOf(file) : undefined;
}

function fingerprintOf(file: string): Fingerprint {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== KEY_BYTES) {
    throw new TidemarkError('InvalidConfig', `${file} contains no key of ${KEY_BYTES} bytes.`, {
      todo: 'Restore the file from a backup. Without a backup, delete it. Then events about people may appear twice, and `tidemark forget` must be repeated.',
    });
  }
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
