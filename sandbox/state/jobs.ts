import { BoundedCache } from './bounded-cache.js';

/** A UBO enrichment job. Its state goes from PENDING to RUNNING to DONE. */
export interface Job {
  id: string;
  /** Index of the company in the market. */
  company: number;
  threshold: number;
  createdAt: number;
}

/**
 * State of a job. It depends only on the job's age: PENDING in the first half of the job time, RUNNING in the second
 * half, then DONE.
 */
export type JobState = 'PENDING' | 'RUNNING' | 'DONE';

const KEPT_BYTES = 2_000_000;

/** The latest UBO enrichment jobs. */
export class Jobs {
  readonly #jobs = new BoundedCache<string, Job>(KEPT_BYTES);
  #count = 0;
  readonly #milliseconds: number;
  /** Milliseconds that a test has added to the clock of the jobs. */
  #ahead = 0;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Returns the number of jobs started so far. */
  get started(): number {
    return this.#count;
  }

  /** Moves the clock of all jobs forward by some milliseconds. */
  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  start(company: number, threshold: number, now: number): Job {
    const job = { id: `ubo-${++this.#count}`, company, threshold, createdAt: now + this.#ahead };
    this.#jobs.add(job.id, job, 100);
    return job;
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  stateOf(job: Job, now: number): JobState {
    const age = now + this.#ahead - job.createdAt;
    if (age >= this.#milliseconds) return 'DONE';
    return age >= this.#milliseconds / 2 ? 'RUNNING' : 'PENDING';
  }

  /** Returns whether a job that is DONE has resolved the ownership chains of a company. */
  isResolved(company: number, now: number): boolean {
    return [...this.#jobs.values()].some((job) => job.company === company && this.stateOf(job, now) === 'DONE');
  }
}
