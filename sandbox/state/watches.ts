import { randomBytes } from 'node:crypto';
import { WATCH_FIELDS } from '../../schemas/v2/watch-fields.js';

/** A watched company. */
export interface Watch {
  id: number;
  /** Names of the watched fields as the caller sent them, without duplicates. */
  fields: string[];
  /** Start date of the watch, yyyy-mm-dd. */
  since: string;
}

/** The customer's watched companies, and the callback that receives their events. */
export class Watches {
  readonly #byId = new Map<number, Watch>();
  callback: string | null = null;
  /** Secret that signs deliveries. The first `setCallback` creates it; later calls do not change it. */
  secret: string | null = null;

  /**
   * Starts a watch. Without `fields`, watches all current fields. If the company is already watched, the new fields
   * replace the old ones, and the start date stays. The reference does not state this last rule.
   */
  start(id: number, fields: readonly string[] | undefined, date: string): Watch {
    const watch = { id, fields: [...new Set(fields ?? WATCH_FIELDS)], since: this.#byId.get(id)?.since ?? date };
    this.#byId.set(id, watch);
    return watch;
  }

  get(id: number): Watch | undefined {
    return this.#byId.get(id);
  }

  /** Ends a watch. Returns false if the company is not watched. */
  stop(id: number): boolean {
    return this.#byId.delete(id);
  }

  /** Returns the watches, sorted by company id. */
  list(): Watch[] {
    return [...this.#byId.values()].toSorted((a, b) => a.id - b.id);
  }

  setCallback(url: string): { callback: string; secret: string } {
    this.secret ??= randomBytes(32).toString('hex');
    this.callback = url;
    return { callback: url, secret: this.secret };
  }

  dump(): { watches: Watch[]; callback: string | null; secret: string | null } {
    return { watches: this.list(), callback: this.callback, secret: this.secret };
  }

  restore(dump: { watches: Watch[]; callback: string | null; secret: string | null }): void {
    for (const watch of dump.watches) this.#byId.set(watch.id, watch);
    this.callback = dump.callback;
    this.secret = dump.secret;
  }
}
