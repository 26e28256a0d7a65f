import type { Data } from '../store/data.js';
import { look, type Watch } from '../store/lock/holder.mjs';
import { DAY_MS, MINUTE_MS, utcDay } from '../base/time/time.js';
import { findChunks, isReceiverGone } from './deliveries.js';
import type { LandOptions } from './land-spool.js';

/** A living receiver lands its deliveries within a minute. So after this time, in milliseconds, it counts as dead. */
export const ABANDONED_MS = 2 * MINUTE_MS;
// One of this many calls lists the deliveries of all days. The others list only those of today and yesterday.
const ALL_DAYS_EVERY = 100;

/** Options of the Adopter. */
export interface AdopterOptions extends LandOptions {
  place?: string | undefined;
  /** Deliveries are landed when no delivery was added to their chunk for this time. Default: ABANDONED_MS. */
  abandonedMs?: number | undefined;
  /** Called for each landed chunk with its number of deliveries. */
  onLanded?: (rows: number) => void;
}

/**
 * Lands the deliveries of dead receivers, and those that a living one could not land. If a receiver was only paused, it
 * does no harm: each row lands once. Remembers between calls what it saw of each chunk.
 */
export class Adopter {
  readonly #data: Data;
  readonly #options: AdopterOptions;
  #watches = new Map<string, Watch>();
  #calls = 0;

  constructor(data: Data, options: AdopterOptions = {}) {
    this.#data = data;
    this.#options = options;
  }

  /**
   * Looks at all deliveries once. Call this method several times in `abandonedMs`.
   * @throws the first error, after all chunks were tried
   */
  async adopt(): Promise<void> {
    const { place, abandonedMs = ABANDONED_MS, onLanded } = this.#options;
    const recent = [Date.now() - DAY_MS, Date.now()].map(utcDay);
    const days = this.#calls++ % ALL_DAYS_EVERY === 0 ? undefined : recent;
    const before = this.#watches;
    this.#watches = new Map();
    const [faults, old]: [unknown[], unknown[]] = [[], []];
    for (const chunk of await findChunks(this.#data, days, (fault) => old.push(fault))) {
      const seen = { id: chunk.target.chunk, beat: chunk.files.length };
      const watch = look(before.get(seen.id), seen, performance.now(), abandonedMs / 2);
      this.#watches.set(seen.id, watch);
      const isRecent = recent.includes(chunk.target.date) && watch.unchangedMs < abandonedMs;
      if (isRecent && !isReceiverGone(chunk.target, place)) continue;
      this.#options.goesOn?.();
      try {
        const rows = await chunk.land(this.#options);
        if (rows > 0) onLanded?.(rows);
      } catch (error) {
        // Continue after an error: a chunk that cannot be landed must not delay the others.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    // Say this only sometimes: such a file stays until a person acts.
    if (days === undefined && old.length > 0) throw old[0];
  }
}
