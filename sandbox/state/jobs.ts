import { BoundedCache } from './bounded-cache.js';

/** A UBO enrichment job. Its state goes from PENDING to RUNNING to DONE. */
export interface Job {
  id: string;
  /** Index of the company in the market. */
  company: number;
  threshold: number;
  createdAt: number;
}

/** State of a job, which depends only on its age: PENDING, after half the job time RUNNING, then DONE. */
export type JobState = 'PENDING' | 'RUNNING' | 'DONE';

const KEPT_BYTES = 2_000_000;

/** The latest UBO enrichment jobs. A job waits for half of the job time and runs for the other half. */
export class Jobs {
  readonly #jobs = new BoundedCache<string, Job>(KEPT_BYTES);
  #count = 0;
  readonly #milliseconds: number;
  /** Milliseconds by which the time of jobs is ahead of the clock. */
  #ahead = 0;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Number of jobs started so far. */
  get started(): number {
    return this.#count;
  }

  /** Lets milliseconds pass for all jobs at once. */
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

  /** Whether a finished job has resolved the ownership chains of a company. */
  isResolved(company: number, now: number): boolean {
    return [...this.#jobs.values()].some((job) => job.company === company && this.stateOf(job, now) === 'DONE');
  }
}
