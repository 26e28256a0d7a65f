import { readFileSync } from 'node:fs';
import { webhookSecretFile } from '../../store/data-folder.js';
import { hasErrorCode, TidemarkError } from '../../base/errors.js';
import { writeSecretFile } from '../../config/secret-file.js';
import type { Data } from '../../store/data.js';

/**
 * Saves the webhook secret in `data/secrets/`, readable only by this user.
 * @returns Path of the file
 */
export async function writeSecret(data: Data, secret: string): Promise<string> {
  const file = webhookSecretFile(data.dataDir);
  await writeSecretFile(file, secret);
  // With the data in a bucket, the receivers on all machines need it.
  await data.give(file);
  return file;
}

/**
 * Reads the webhook secret: TIDEMARK_WEBHOOK_SECRET, else the secret that `watch apply` saved.
 * @throws TidemarkError `InvalidConfig` when there is none
 */
export function readSecret(dataDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const given = env['TIDEMARK_WEBHOOK_SECRET']?.trim();
  if (given) return given;
  const file = webhookSecretFile(dataDir);
  try {
    const kept = readFileSync(file, 'utf8').trim();
    if (kept !== '') return kept;
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
  throw new TidemarkError('InvalidConfig', 'The webhook secret is missing, so deliveries cannot be verified.', {
    todo: `Set watch.callback and run \`tidemark watch apply\`: it stores the secret in ${file}. Or set TIDEMARK_WEBHOOK_SECRET.`,
  });
}
