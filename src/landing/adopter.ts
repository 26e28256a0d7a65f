import type { Data } from '../store/data.js';
import { receiverLock } from '../store/data-folder.js';
import { LockSeeker } from '../store/lock/lock.js';
import { landSpool, type PartTarget, type SpoolLimits } from './index.js';
import { listReceiverLocks, listSpools } from './deliveries.js';

// One of this many calls of `adopt` searches for spools whose receiver has no lock, because such spools are rare and
// the search reads one folder for each day.
const SCAN_EVERY = 100;

/** Options of the Adopter. Times are in milliseconds. */
export interface AdopterOptions {
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  place?: string | undefined;
  limits?: SpoolLimits | undefined;
  /** Called for each landed spool with its number of deliveries. */
  onLanded: (rows: number) => void;
}

/**
 * Lands the spools of dead receivers. Only the holder of a receiver's lock may land its spools. So only one process
 * lands them, and never while the receiver lives. The Adopter remembers what it saw of each lock between calls.
 */
export class Adopter {
  readonly #data: Data;
  readonly #options: AdopterOptions;
  readonly #seekers = new Map<string, LockSeeker>();
  #spools = new Map<string, PartTarget[]>();
  #calls = 0;

  constructor(data: Data, options: AdopterOptions) {
    this.#data = data;
    this.#options = options;
  }

  /**
   * Checks every receiver except `own` once, and lands the spools of dead receivers. Call this method every few
   * seconds.
   * @param own this process's receiver
   * @param goesOn called between parts; if it throws, the work stops, and a later call continues
   * @throws the first error, after all receivers were checked
   */
  async adopt(own: string | undefined, goesOn: () => void): Promise<void> {
    if (this.#calls++ % SCAN_EVERY === 0) this.#spools = listSpools(this.#data);
    const receivers = new Set<string>([...listReceiverLocks(this.#data.dataDir), ...this.#spools.keys()]);
    for (const known of this.#seekers.keys()) if (!receivers.has(known)) this.#seekers.delete(known);
    receivers.delete(own ?? '');
    const faults: unknown[] = [];
    // Continue after an error: a spool that cannot be landed must not delay the other spools.
    for (const receiver of receivers)
      await this.#takeOver(receiver, goesOn).catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  }

  async #takeOver(receiver: string, goesOn: () => void): Promise<void> {
    const { leaseMs, beatMs, place, limits, onLanded } = this.#options;
    const lockOptions = { what: 'landing the spools of another receiver', leaseMs, beatMs, place };
    const seeker =
      this.#seekers.get(receiver) ?? new LockSeeker(receiverLock(this.#data.dataDir, receiver), lockOptions);
    this.#seekers.set(receiver, seeker);
    const lock = seeker.attempt();
    if (lock === undefined) return;
    try {
      // List the spools again: since the first list, the receiver may have landed its spools and released the lock.
      for (const target of listSpools(this.#data).get(receiver) ?? []) {
        const rows = await landSpool(target, {
          limits,
          goesOn: () => {
            goesOn();
            lock.assertHeld();
          },
        });
        if (rows > 0) onLanded(rows);
      }
      this.#spools.delete(receiver);
    } finally {
      lock.release();
    }
  }
}
