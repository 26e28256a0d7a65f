import { V2Errors } from './errors.js';
import { Faults } from './faults.js';
import { Jobs } from './jobs.js';
import type { SandboxOptions } from './options.js';
import { PayeeChecks } from './payee/checks.js';
import { Quota } from './quota.js';
import { Reveals } from './reveals.js';
import { Searches } from './searches.js';
import { RequestLog } from './request-log.js';
import { Watches } from './watches.js';
import { createWorld, type World } from './world/index.js';

/** One running sandbox: the market, the day it is on, and what its one customer has done. */
export class Sandbox {
  readonly options: SandboxOptions;
  readonly world: World;
  readonly quota: Quota;
  readonly faults = new Faults();
  readonly requests = new RequestLog();
  readonly watches = new Watches();
  readonly reveals = new Reveals();
  readonly searches = new Searches();
  readonly jobs: Jobs;
  readonly payeeChecks = new PayeeChecks();
  readonly errors: V2Errors;
  #day: number;

  /** Builds the market's columns, which takes seconds for a million companies. */
  constructor(options: SandboxOptions) {
    this.options = options;
    this.world = createWorld(options);
    this.quota = new Quota(options.dailyLimit, options.rateLimit);
    this.jobs = new Jobs(options.jobMilliseconds);
    this.errors = new V2Errors(options.statuses);
    this.#day = options.day;
    this.world.columns(this.#day);
  }

  /** Day the market is on; day 0 is the start date. */
  get day(): number {
    return this.#day;
  }

  /** Calendar date of that day. */
  get date(): string {
    return this.world.dateOf(this.#day);
  }

  /** Moves the market to a day. */
  moveTo(day: number): void {
    if (day === this.#day) return;
    this.world.columns(day);
    this.#day = day;
    this.searches.clear();
    this.quota.startDay();
  }
}
