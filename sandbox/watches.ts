import { randomBytes } from 'node:crypto';
import { WATCH_FIELDS } from '../schemas/v2/watch-fields.js';

/** A company under watch. */
export interface Watch {
  id: number;
  /** Field names as the caller gave them, without repeats. */
  fields: string[];
  /** Date the watch was started, yyyy-mm-dd. */
  since: string;
}

/** What the key watches, and where its events go. */
export class Watches {
  readonly #byId = new Map<number, Watch>();
  callback: string | null = null;
  /** Made with the first callback, the same ever after. */
  secret: string | null = null;

  /**
   * Starts a watch. Fields are all current ones when none are given. On a company already watched the given fields
   * take the place of the old ones and the date stays (the reference does not say).
   */
  start(id: number, fields: readonly string[] | undefined, date: string): Watch {
    const watch = { id, fields: [...new Set(fields ?? WATCH_FIELDS)], since: this.#byId.get(id)?.since ?? date };
    this.#byId.set(id, watch);
    return watch;
  }

  get(id: number): Watch | undefined {
    return this.#byId.get(id);
  }

  /** Ends a watch; false when there was none. */
  stop(id: number): boolean {
    return this.#byId.delete(id);
  }

  /** In order of ids. */
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
