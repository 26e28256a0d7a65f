import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ownerJobsDir } from '../../../store/data-folder.js';
import { writeFileAtomic } from '../../../store/files.js';
import type { Data } from '../../../store/data.js';
import type { OwnerJob } from './job-state.js';

/**
 * Keeps the enrichment jobs of a data folder, in one file for each company. Every write is complete, even if the power
 * fails.
 */
export class JobFiles {
  readonly #open: string;
  readonly #ended: string;
  readonly #data: Data;

  constructor(data: Data) {
    this.#data = data;
    this.#open = ownerJobsDir(data.dataDir, 'open');
    this.#ended = ownerJobsDir(data.dataDir, 'ended');
  }

  /** Takes the open jobs of all machines. Does nothing if the data is in a folder. */
  async pull(): Promise<void> {
    await this.#data.refreshFolder(this.#open, this.#files());
  }

  /** Returns the company's open job, else its ended job, else null. */
  async read(company: string): Promise<OwnerJob | null> {
    for (const folder of [this.#open, this.#ended]) await this.#data.refresh(fileIn(folder, company));
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
    return this.#data.claim(file, textOf(job));
  }

  /** Replaces the file of an open job. */
  async write(job: OwnerJob): Promise<void> {
    await this.#replace(fileIn(this.#open, job.company), job);
  }

  /** Removes the record of a job that the API surely did not start. */
  async forget(company: string): Promise<void> {
    await this.#data.remove(fileIn(this.#open, company));
  }

  /**
   * Ends a job: writes the ended job, then removes the open one. If the process dies between these steps, the job is
   * still open and is polled once more.
   */
  async end(job: OwnerJob, now: Date): Promise<void> {
    const ended: OwnerJob = { ...job, state: 'ended', endedAt: now.toISOString() };
    await this.#replace(fileIn(this.#ended, job.company), ended);
    await this.#data.remove(fileIn(this.#open, job.company));
  }

  async #replace(file: string, job: OwnerJob): Promise<void> {
    await writeFileAtomic(file, textOf(job));
    await this.#data.give(file);
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
