import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chunkFile, duePlanFile } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import type { Content } from '../../store/storage.js';
import { workingCopyOf } from '../../store/working-copy/open.js';

/*
 * With the data in a bucket, the file of a due plan names its chunk files with their hashes. The first plan that is
 * given is valid for all machines.
 */

/** Additional content of a plan's file in the bucket. */
interface Given {
  files?: (Content & { key: string })[];
}

/**
 * Gives the due plan in a folder to all machines.
 * @throws TidemarkError `Internal`, retryable, when another machine has given a plan first; the next attempt uses that
 */
export async function givePlan(dataDir: string, folder: string, chunks: number): Promise<void> {
  const copy = workingCopyOf(dataDir);
  if (copy === undefined) return;
  const file = duePlanFile(folder);
  const files: Given['files'] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const local = chunkFile(folder, chunk);
    const key = `${copy.keyOf(local)}.${copy.id}-${Date.now()}`;
    files.push({ key, ...(await copy.storage.upload(key, local)) });
  }
  const counts = JSON.parse(readFileSync(file, 'utf8')) as object;
  if (await copy.claimText(file, Buffer.from(`${JSON.stringify({ ...counts, files })}\n`))) return;
  throw new TidemarkError('Internal', `Another machine has planned ${copy.keyOf(folder)} first.`, {
    todo: 'The next attempt uses that plan.',
    retryable: true,
  });
}

/** Takes the valid plan in a folder, if there is one. A plan here that no machine has given is removed. */
export async function takePlan(dataDir: string, folder: string): Promise<void> {
  await workingCopyOf(dataDir)?.refresh(duePlanFile(folder));
}

/** Returns the path of a chunk file of the valid plan, after it was taken if necessary. */
export async function takeChunkFile(dataDir: string, folder: string, chunk: number): Promise<string> {
  const copy = workingCopyOf(dataDir);
  const plan = duePlanFile(folder);
  const isGiven = await copy?.refresh(plan);
  const given = isGiven ? (JSON.parse(readFileSync(plan, 'utf8')) as Given).files?.[chunk] : undefined;
  if (copy === undefined || given === undefined) return chunkFile(folder, chunk);
  // The name holds the key's end, because an earlier plan of this machine may have left another file.
  const file = path.join(folder, path.posix.basename(given.key));
  await copy.takeContent(file, given, given.key);
  return file;
}
