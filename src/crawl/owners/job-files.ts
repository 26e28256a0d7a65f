import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ownerJobsDir } from '../../core/data-folder.js';
import { writeFileAtomic, writeFileOnce } from '../../core/files.js';
import type { OwnerJob } from './job-state.js';

/**
 * Keeps the enrichment jobs of a data folder, in one file for each company. Every write is complete, even if the power
 * fails.
 */
export class JobFiles {
  readonly #open: string;
  readonly #ended: string;

  constructor(dataDir: string) {
    this.#open = ownerJobsDir(dataDir, 'open');
    this.#ended = ownerJobsDir(dataDir, 'ended');
  }

  /** Returns the company's open job, else its ended job, else null. */
  read(company: string): OwnerJob | null {
    return readJobFile(fileIn(this.#open, company)) ?? readJobFile(fileIn(this.#ended, company));
  }

  /** Lists the open jobs of all runs. */
  listOpen(): OwnerJob[] {
    if (!existsSync(this.#open)) return [];
    return readdirSync(this.#open)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .flatMap((name) => readJobFile(path.join(this.#open, name)) ?? []);
  }

  /**
   * Records that this process will start a job. Called before the request.
   * @returns false if another process has recorded a job of this company first
   */
  async intend(job: OwnerJob): Promise<boolean> {
    return writeFileOnce(fileIn(this.#open, job.company), textOf(job));
  }

  /** Replaces the file of an open job. */
  async write(job: OwnerJob): Promise<void> {
    await writeFileAtomic(fileIn(this.#open, job.company), textOf(job));
  }

  /** Removes the record of a job that the API surely did not start. */
  async forget(company: string): Promise<void> {
    await rm(fileIn(this.#open, company), { force: true });
  }

  /**
   * Ends a job: writes the ended job, then removes the open one. If the process dies between these steps, the job is
   * still open and is polled once more.
   */
  async end(job: OwnerJob, now: Date): Promise<void> {
    const ended: OwnerJob = { ...job, state: 'ended', endedAt: now.toISOString() };
    await writeFileAtomic(fileIn(this.#ended, job.company), textOf(ended));
    await rm(fileIn(this.#open, job.company), { force: true });
  }
}

function fileIn(folder: string, company: string): string {
  return path.join(folder, `${encodeURIComponent(company)}.json`);
}

function textOf(job: OwnerJob): string {
  return `${JSON.stringify(job)}\n`;
}

function readJobFile(file: string): OwnerJob | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OwnerJob;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
