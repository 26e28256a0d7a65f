import { readFileSync } from 'node:fs';
import path from 'node:path';
import { hasErrorCode } from '../../../base/errors.js';
import { ownerJobsDir } from '../../../store/data-folder.js';
import type { Data } from '../../../store/data.js';
import { namesIn, writeFileAtomic } from '../../../store/files.js';
import { sendOnce } from '../send-once.js';
import type { OwnerJob } from './job-state.js';

/**
 * Keeps the enrichment jobs of a data folder, in one file for each company. Every write is complete, even if the power
 * fails.
 */
export class JobFiles {
  constructor(readonly data: Data) {}

  /** Takes the open jobs of all machines. Does nothing if the data is in a folder. */
  async pull(): Promise<void> {
    await this.data.refreshFolder(ownerJobsDir(this.data.dataDir, 'open'), this.#openFiles());
  }

  /** Returns the company's open job, else its ended job, else null. */
  async read(company: string): Promise<OwnerJob | null> {
    const files = [this.#file('open', company), this.#file('ended', company)];
    for (const file of files) await this.data.refresh(file);
    return files.map(readJobFile).find((job) => job !== null) ?? null;
  }

  /** Lists the open jobs of all runs. */
  listOpen(): OwnerJob[] {
    return this.#openFiles().flatMap((file) => readJobFile(file) ?? []);
  }

  /**
   * Sends the request that starts a job, and keeps the job (`sendOnce`).
   * @returns undefined if another process has recorded a job of this company first
   */
  async start<T>(job: OwnerJob, send: () => Promise<T>): Promise<T | undefined> {
    return sendOnce(this.data, this.#file('open', job.company), textOf(job), send);
  }

  /** Replaces the file of an open job, or of the company's ended job. */
  async write(job: OwnerJob, which: 'open' | 'ended' = 'open'): Promise<void> {
    const file = this.#file(which, job.company);
    await writeFileAtomic(file, textOf(job));
    await this.data.give(file);
  }

  /**
   * Ends a job: writes the ended job, then removes the open one. If the process dies between these steps, the job is
   * still open and is polled once more.
   */
  async end(job: OwnerJob, now: Date): Promise<void> {
    await this.write({ ...job, state: 'ended', endedAt: now.toISOString() }, 'ended');
    await this.data.remove(this.#file('open', job.company));
  }

  #file(which: 'open' | 'ended', company: string): string {
    const folder = ownerJobsDir(this.data.dataDir, which);
    return path.join(folder, `${encodeURIComponent(company)}.json`);
  }

  /** Leaves out temporary files: their names have another end. */
  #openFiles(): string[] {
    const folder = ownerJobsDir(this.data.dataDir, 'open');
    return namesIn(folder).flatMap((name) => (name.endsWith('.json') ? [path.join(folder, name)] : []));
  }
}

function textOf(job: OwnerJob): string {
  return `${JSON.stringify(job)}\n`;
}

function readJobFile(file: string): OwnerJob | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OwnerJob;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}
