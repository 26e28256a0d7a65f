import { readFileSync } from 'node:fs';
import type { DuePlan } from '../../../schemas/pipeline/due.js';
import { chunkFile, duePlanFile } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import type { Data } from '../../store/data.js';
import { publishFiles, takePublished } from '../../store/publish-files.js';

/** The numbers of known entities, due entities and chunk files, and the number of due entities for each reason. */
export type DueCounts = Pick<DuePlan, 'known' | 'due' | 'chunks' | 'reasons'>;

/**
 * Publishes a due plan whose chunk files are written. The plan's file proves that all of them exist.
 * @throws TidemarkError `Internal`, retryable, when another machine has given a plan first; the next attempt uses that
 */
export async function publishPlan(data: Data, folder: string, counts: DueCounts): Promise<void> {
  const files = Array.from({ length: counts.chunks }, (_, chunk) => chunkFile(folder, chunk));
  if (await publishFiles(data, duePlanFile(folder), counts, files)) return;
  throw new TidemarkError('Internal', `Another machine has planned ${folder} first.`, {
    todo: 'The next attempt uses that plan.',
    retryable: true,
  });
}

/** Returns the counts of the valid plan in a folder; undefined if there is none. Removes a plan that no machine has given. */
export async function findPlan(data: Data, folder: string): Promise<DueCounts | undefined> {
  const file = duePlanFile(folder);
  if (!(await data.refresh(file))) return undefined;
  const { known, due, chunks, reasons } = JSON.parse(readFileSync(file, 'utf8')) as DueCounts;
  return { known, due, chunks, reasons };
}

/** Returns the path of a chunk file of the valid plan, after it was taken if necessary. */
export async function takeChunkFile(data: Data, folder: string, chunk: number): Promise<string> {
  const [plan, file] = [duePlanFile(folder), chunkFile(folder, chunk)];
  await data.refresh(plan);
  await takePublished(data, plan, chunk, file);
  return file;
}
