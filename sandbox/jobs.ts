import { Latest } from './latest.js';

/** A UBO enrichment job: waiting, then running, then done. */
export interface Job {
  id: string;
  /** Index of the company it is about. */
  company: number;
  threshold: number;
  createdAt: number;
}

export type JobState = 'PENDING' | 'RUNNING' | 'DONE';

const KEPT_BYTES = 2_000_000;

/** Jobs take real time: half of it they wait, half of it they run. */
export class Jobs {
  readonly #jobs = new Latest<string, Job>(KEPT_BYTES);
  #count = 0;
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  start(company: number, threshold: number, now: number): Job {
    const job = { id: `ubo-${++this.#count}`, company, threshold, createdAt: now };
    this.#jobs.add(job.id, job, 100);
    return job;
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  stateOf(job: Job, now: number): JobState {
    const age = now - job.createdAt;
    if (age >= this.#milliseconds) return 'DONE';
    return age >= this.#milliseconds / 2 ? 'RUNNING' : 'PENDING';
  }

  /** Whether a finished job has resolved the chains of a company. */
  isResolved(company: number, now: number): boolean {
    return [...this.#jobs.values()].some((job) => job.company === company && this.stateOf(job, now) === 'DONE');
  }
}
