import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ownerJobsDir } from '../../../store/data-folder.js';
import { writeFileAtomic, writeFileOnce } from '../../../store/files.js';
import { workingCopyOf } from '../../../store/working-copy/open.js';
import type { WorkingCopy } from '../../../store/working-copy/working-copy.js';
import type { OwnerJob } from './job-state.js';

/**
 * Keeps the enrichment jobs of a data folder, in one file for each company. Every write is complete, even if the power
 * fails.
 */
export class JobFiles {
  readonly #open: string;
  readonly #ended: string;

  readonly #copy: WorkingCopy | undefined;

  constructor(dataDir: string) {
    this.#copy = workingCopyOf(dataDir);
    this.#open = ownerJobsDir(dataDir, 'open');
    this.#ended = ownerJobsDir(dataDir, 'ended');
  }

  /** Takes the open jobs of all machines. Does nothing if the data is in a folder. */
  async pull(): Promise<void> {
    await this.#copy?.refreshFolder(this.#open, this.#files());
  }

  /** Returns the company's open job, else its ended job, else null. */
  async read(company: string): Promise<OwnerJob | null> {
    for (const folder of [this.#open, this.#ended]) await this.#copy?.refresh(fileIn(folder, company));
    return readJobFile(fileIn(this.#open, company)) ?? readJobFile(fileIn(this.#ended, company));
  }

  /** Lists the open jobs of all runs. */
  listOpen(): OwnerJob[] {
    return this.#files().flatMap((file) => readJobFile(file) ?? []);
  }

  #files(): string[] {
    if (!existsSync(this.#open)) return [];
    return readdirSync(this.#open)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .map((name) => path.join(this.#open, name));
  }

  /**
   * Records that this process will start a job. Called before the request.
   * @returns false if another process has recorded a job of this company first
   */
  async intend(job: OwnerJob): Promise<boolean> {
    const file = fileIn(this.#open, job.company);
    if (this.#copy !== undefined) return this.#copy.claimText(file, Buffer.from(textOf(job)));
    return writeFileOnce(file, textOf(job));
  }

  /** Replaces the file of an open job. */
  async write(job: OwnerJob): Promise<void> {
    await this.#replace(fileIn(this.#open, job.company), job);
  }

  /** Removes the record of a job that the API surely did not start. */
  async forget(company: string): Promise<void> {
    await this.#remove(fileIn(this.#open, company));
  }

  /**
   * Ends a job: writes the ended job, then removes the open one. If the process dies between these steps, the job is
   * still open and is polled once more.
   */
  async end(job: OwnerJob, now: Date): Promise<void> {
    const ended: OwnerJob = { ...job, state: 'ended', endedAt: now.toISOString() };
    await this.#replace(fileIn(this.#ended, job.company), ended);
    await this.#remove(fileIn(this.#open, job.company));
  }

  async #replace(file: string, job: OwnerJob): Promise<void> {
    await writeFileAtomic(file, textOf(job));
    await this.#copy?.give(file);
  }

  async #remove(file: string): Promise<void> {
    await this.#copy?.remove(file);
    await rm(file, { force: true });
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
