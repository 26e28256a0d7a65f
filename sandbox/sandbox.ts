import { Keys } from './http/auth.js';
import { Outbox } from './connector/outbox.js';
import { Sessions } from './connector/sessions.js';
import { V2Errors } from './http/errors.js';
import { Faults } from './faults/faults.js';
import { checkFilterNames } from './http/filter-switches.js';
import { Jobs } from './state/jobs.js';
import type { SandboxOptions } from './options.js';
import { ResultOrder } from './state/order.js';
import { PayeeChecks } from './payee/checks.js';
import { Quota } from './state/quota.js';
import { Reveals } from './state/reveals.js';
import { Searches } from './state/searches.js';
import { RequestLog } from './http/request-log.js';
import { readState, writeState, type SavedState } from './state/state-file.js';
import { deliveryOf, watchedEvents } from './state/watch-events.js';
import { Watches } from './state/watches.js';
import { Webhooks } from './state/webhooks.js';
import { createWorld, type World } from './world/index.js';

/** One running sandbox: the market, its current day, and the state of the only customer. */
export class Sandbox {
  readonly options: SandboxOptions;
  readonly world: World;
  readonly keys: Keys;
  readonly quota: Quota;
  readonly faults = new Faults();
  readonly requests = new RequestLog();
  readonly watches = new Watches();
  readonly webhooks: Webhooks;
  readonly reveals = new Reveals();
  readonly searches = new Searches();
  readonly order: ResultOrder;
  readonly jobs: Jobs;
  readonly sessions = new Sessions();
  readonly outbox = new Outbox();
  readonly payeeChecks = new PayeeChecks();
  readonly errors: V2Errors;
  #day: number;

  /**
   * Builds the columns of the market. This takes seconds for a million companies.
   *
   * @throws RangeError for an unknown filter name
   * @throws Error when the state file cannot be used
   */
  constructor(options: SandboxOptions) {
    checkFilterNames(options);
    this.options = options;
    this.keys = new Keys([{ key: options.key, permissions: 'all' }, ...options.keys]);
    this.world = createWorld(options);
    this.quota = new Quota(options.dailyLimit, options.rateLimit);
    this.order = new ResultOrder(options);
    this.jobs = new Jobs(options.jobMilliseconds);
    this.errors = new V2Errors(options.statuses, options.permissionBody);
    this.webhooks = new Webhooks(options.webhookRetryMilliseconds);
    const saved = options.file === null ? null : readState(options.file);
    this.#day = saved?.day ?? options.day;
    if (saved) this.#restore(saved);
    this.world.columns(this.#day);
  }

  /** Returns the current day of the market. Day 0 is the start date. */
  get day(): number {
    return this.#day;
  }

  /** Returns the calendar date of the current day, yyyy-mm-dd. */
  get date(): string {
    return this.world.dateOf(this.#day);
  }

  /**
   * Moves the market to a day. Sends the events of the days in between to the callback. Resets the searches and the
   * daily quota.
   */
  moveTo(day: number): void {
    if (day === this.#day) return;
    const before = this.#day;
    this.world.columns(day);
    this.#day = day;
    this.#deliver(before + 1, day);
    this.searches.clear();
    this.quota.startDay();
  }

  /** Sends the events of a range of days to the callback. Both days are included. */
  #deliver(fromDay: number, toDay: number): void {
    const { callback, secret } = this.watches;
    if (callback === null || secret === null) return;
    for (const watch of this.watches.list()) {
      for (const event of watchedEvents(this.world, watch, fromDay, toDay)) {
        this.webhooks.send(callback, secret, deliveryOf(this.world, watch.id, event));
      }
    }
  }

  /** Writes the state file if the option `file` is set. */
  save(): void {
    const { file, companies, tenders, seed, date, clones, key } = this.options;
    if (file === null) return;
    const quota = { ...this.quota.dump(), dailyLimit: this.quota.dailyLimit };
    const market = { companies, tenders, seed, date, clones, key };
    writeState(file, { version: 1, ...market, day: this.#day, quota, watching: this.watches.dump() });
  }

  #restore(saved: SavedState): void {
    this.quota.restore(saved.quota);
    this.quota.dailyLimit = this.options.dailyLimit > 0 ? this.options.dailyLimit : saved.quota.dailyLimit;
    this.watches.restore(saved.watching);
  }
}
