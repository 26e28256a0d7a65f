import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { loginFile } from '../store/data-folder.js';
import { tryReadJson } from '../store/files.js';
import { keyFingerprint } from '../base/key-fingerprint.js';
import { writeSecretFile } from './secret-file.js';

/*
 * Each crawl worker records the fingerprint of the API key that it holds, so that `tidemark doctor` can compare it with
 * the key that a command reads. The file is in the data folder of the worker's machine.
 */

const KeyInUse = z.object({ fingerprint: z.string(), since: z.string() });
/** Fingerprint of the key that a worker holds, and since when (ISO). */
export type KeyInUse = z.infer<typeof KeyInUse>;

/** Records the key of a worker, under the worker's identity. */
export async function recordKey(dataDir: string, identity: string, apiKey: string, since: Date): Promise<void> {
  const inUse: KeyInUse = { fingerprint: keyFingerprint(apiKey), since: since.toISOString() };
  await writeSecretFile(fileOf(dataDir, identity), JSON.stringify(inUse));
}

/** Removes the record of a worker that ends. */
export function forgetKeyInUse(dataDir: string, identity: string): void {
  rmSync(fileOf(dataDir, identity), { force: true });
}

/** Reads the key of a worker; null if the worker runs on another machine, or holds no key. */
export function readKeyInUse(dataDir: string, identity: string): KeyInUse | null {
  return tryReadJson(fileOf(dataDir, identity), KeyInUse) ?? null;
}

function fileOf(dataDir: string, identity: string): string {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return path.join(path.dirname(loginFile(dataDir)), 'keys-in-use', `${name}.json`);
}
