import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../core/files.js';

/** Keeps the webhook secret in `data/secrets/`, readable by this user alone; gives the file. */
export async function writeSecret(dataDir: string, secret: string): Promise<string> {
  const folder = path.join(dataDir, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // It may have been there already, open.
  await chmod(folder, 0o700);
  const file = path.join(folder, 'webhook-secret');
  await writeFileAtomic(file, `${secret}\n`);
  return file;
}
