import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ownerJobsDir } from '../../store/data-folder.js';
import { namesIn, writeFileAtomic } from '../../store/files.js';
import type { OwnerJob } from '../../crawl/streams/owners/job-state.js';
import type { NewRow } from '../../landing/index.js';
import type { Change } from './landed-rows.js';

/* Files of enrichment jobs may hold an answer about owners that is not landed yet. */

/** Stream of the answers about jobs. */
export const JOB_STREAM = 'ownership_jobs';

/** A job that holds an answer. */
interface FoundJob {
  file: string;
  job: OwnerJob;
  row: NewRow;
}

/** Reads the jobs that hold an answer. Leaves out damaged files. */
export function readJobs(dataDir: string): FoundJob[] {
  return (['open', 'ended'] as const)
    .map((which) => ownerJobsDir(dataDir, which))
    .flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)))
    .flatMap((file) => {
      const job = readJob(file);
      const row = job?.row;
      return job && row ? [{ file, job, row }] : [];
    });
}

function readJob(file: string): OwnerJob | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OwnerJob | null;
  } catch {
    return null;
  }
}

/** Replaces the answer of a job. Returns the number of changed answers. */
export async function rewriteJob({ file, job, row }: FoundJob, change: Change): Promise<number> {
  const after = change(JOB_STREAM, row);
  if (after === row) return 0;
  await writeFileAtomic(file, `${JSON.stringify({ ...job, row: { ...row, ...(after ?? { body: '{}' }) } })}\n`);
  return 1;
}
