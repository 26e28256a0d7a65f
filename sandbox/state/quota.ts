import type { MetricsResponse } from '../../schemas/v2/metrics.js';

/** Usage metrics: codename and name of each kind of call that the quota counts. */
export const METRICS = {
  prospecting: 'Prospecting searches',
  company_search: 'Company searches',
  company_details: 'Company details',
  financials: 'Financial reports',
  employees: 'Employees',
  enrichment: 'Enrichment',
  autocomplete: 'Autocomplete',
  ownership: 'Ownership',
  payee_checks: 'Payee checks',
} as const;
export type MetricName = keyof typeof METRICS;

/** Codename of the metric with the daily limit. */
export const DAILY_METRIC = 'daily_browsing';

/**
 * Usage of the customer. Counts authorised, valid data calls of version 2, also if the answer is 404. Calls for
 * metrics, for watching and of version 1 are not counted. A new day of the market resets the daily metric to 0.
 */
export class Quota {
  /** Number of data calls allowed per day. 0: no limit. */
  dailyLimit: number;
  usedToday = 0;
  readonly #used = new Map<MetricName, number>();
  readonly #rateLimit: number;
  #second = 0;
  #inSecond = 0;

  constructor(dailyLimit: number, rateLimit: number) {
    this.dailyLimit = dailyLimit;
    this.#rateLimit = rateLimit;
  }

  /**
   * Counts one call. Returns the limit that the call exceeds, or null. A call that exceeds a limit is not counted as
   * usage.
   */
  take(metric: MetricName, now: number): 'limits.daily' | 'limit' | null {
    if (this.#rateLimit > 0 && !this.#takeSecond(now)) return 'limit';
    if (this.dailyLimit > 0 && this.usedToday >= this.dailyLimit) return 'limits.daily';
    this.usedToday++;
    this.#used.set(metric, (this.#used.get(metric) ?? 0) + 1);
    return null;
  }

  #takeSecond(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    return ++this.#inSecond <= this.#rateLimit;
  }

  startDay(): void {
    this.usedToday = 0;
  }

  /** Returns the answer to `GET /v2/metrics`. A `total` of 0 means that there is no limit. */
  report(): MetricsResponse {
    return [
      {
        name: 'Daily limits',
        codename: 'daily',
        metrics: [{ name: 'Daily browsing', codename: DAILY_METRIC, used: this.usedToday, total: this.dailyLimit }],
      },
      {
        name: 'Usage',
        codename: 'usage',
        metrics: Object.entries(METRICS).map(([codename, name]) => ({
          name,
          codename,
          used: this.#used.get(codename as MetricName) ?? 0,
          total: 0,
        })),
      },
    ];
  }

  /** Returns the usage of the customer, which the state file keeps for the next start. */
  dump(): { usedToday: number; used: Record<string, number> } {
    return { usedToday: this.usedToday, used: Object.fromEntries(this.#used) };
  }

  restore(dump: { usedToday: number; used: Record<string, number> }): void {
    this.usedToday = dump.usedToday;
    for (const [metric, used] of Object.entries(dump.used)) this.#used.set(metric as MetricName, used);
  }
}
