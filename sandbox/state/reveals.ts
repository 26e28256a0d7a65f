import type { ContactMetrics } from '../../schemas/v2/metrics.js';

interface Reveal {
  /** Time in the form `YYYY-MM-DD HH:MM:SS`. Its date is the date of the sandbox. */
  at: string;
  emails: number;
  phones: number;
}

/** Log of the contact data that the customer received. The contact metrics are computed from it. */
export class Reveals {
  readonly #list: Reveal[] = [];

  /**
   * Counts the contact data in one person's record. `date` is the date of the sandbox (yyyy-mm-dd). The time of day is
   * the real one.
   */
  add(date: string, shown: { email: boolean; phone: boolean }): void {
    if (!shown.email && !shown.phone) return;
    const time = new Date().toISOString().slice(11, 19);
    const at = `${date} ${time}`;
    // Keep one entry per second, because memory must not grow with each call.
    if (this.#list.at(-1)?.at !== at) this.#list.push({ at, emails: 0, phones: 0 });
    const second = this.#list.at(-1)!;
    if (shown.email) second.emails++;
    if (shown.phone) second.phones++;
  }

  /** Counts the contact data revealed between two times, both included. Format of the times: `YYYY-MM-DD HH:MM:SS`. */
  countBetween(from: string, to: string): ContactMetrics {
    const within = this.#list.filter(({ at }) => at >= from && at <= to);
    return {
      email_count: within.reduce((sum, { emails }) => sum + emails, 0),
      phone_count: within.reduce((sum, { phones }) => sum + phones, 0),
    };
  }
}
