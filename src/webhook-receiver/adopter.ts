import { existsSync, statSync } from 'node:fs';
import { olderReceiverLock, receiverLock, runFolder } from '../core/data-folder.js';
import { look, type Watch } from '../core/lease.js';
import { LockSeeker } from '../core/lock.js';
import { landSpool, spoolFile, type PartTarget, type SpoolLimits } from '../landing/index.js';
import { listReceiverLocks, listSpools } from './deliveries.js';

// Receivers of older versions have no ids. They always landed their spools within a minute. So a spool that is older
// than this time is abandoned.
const OLDER_VERSION_MS = 120_000;
const OLDER_VERSION = 'older-version';
// One of this many calls of `adopt` searches for spools whose receiver has no lock, because such spools are rare and
// the search reads one folder for each day. After such a spool was found, each call searches until it is gone.
const SCAN_EVERY = 100;

/** Options of the Adopter. Times are in milliseconds. */
export interface AdopterOptions {
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  place?: string | undefined;
  limits?: SpoolLimits | undefined;
  /** A spool of an older version is landed when it has not changed for this time, in milliseconds. */
  olderVersionMs?: number | undefined;
  /** Called for each landed spool with its number of deliveries. */
  onLanded: (rows: number) => void;
}

/**
 * Lands the spools of dead receivers. Only the holder of a receiver's lock may land its spools. So only one process
 * lands them, and never while the receiver lives. The Adopter remembers what it saw of each lock between calls.
 */
export class Adopter {
  readonly #dataDir: string;
  readonly #options: AdopterOptions;
  readonly #seekers = new Map<string, LockSeeker>();
  #spools = new Map<string | null, PartTarget[]>();
  #calls = 0;
  #older: Watch | undefined;

  constructor(dataDir: string, options: AdopterOptions) {
    this.#dataDir = dataDir;
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
    if (this.#calls++ % SCAN_EVERY === 0 || this.#spools.has(null)) this.#spools = listSpools(this.#dataDir);
    const withSpools = [...this.#spools.keys()].filter((id) => id !== null);
    const receivers = new Set<string>([...listReceiverLocks(this.#dataDir), ...withSpools]);
    for (const known of this.#seekers.keys()) if (!receivers.has(known)) this.#seekers.delete(known);
    receivers.delete(own ?? '');
    const candidates: (string | null)[] = [...receivers];
    if (this.#isAbandoned(this.#spools.get(null) ?? [])) candidates.push(null);
    const faults: unknown[] = [];
    // Continue after an error: a spool that cannot be landed must not delay the other spools.
    for (const receiver of candidates)
      await this.#takeOver(receiver, goesOn).catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  }

  async #takeOver(receiver: string | null, goesOn: () => void): Promise<void> {
    const id = receiver ?? OLDER_VERSION;
    const { leaseMs, beatMs, place, limits, onLanded } = this.#options;
    const lockOptions = { what: 'landing the spools of another receiver', leaseMs, beatMs, place };
    const seeker = this.#seekers.get(id) ?? new LockSeeker(receiverLock(this.#dataDir, id), lockOptions);
    this.#seekers.set(id, seeker);
    const lock = seeker.attempt();
    if (lock === undefined) return;
    try {
      // List the spools again: since the first list, the receiver may have landed its spools and released the lock.
      for (const target of listSpools(this.#dataDir).get(receiver) ?? []) {
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

  /**
   * Whether a receiver of an older version is dead. It is dead if it has no lock, or if its spools have not changed for
   * too long.
   */
  #isAbandoned(targets: readonly PartTarget[]): boolean {
    if (targets.length === 0) return false;
    if (!existsSync(olderReceiverLock(this.#dataDir))) return true;
    const { olderVersionMs = OLDER_VERSION_MS } = this.#options;
    const seen = targets.map((target) => {
      const file = statSync(spoolFile(runFolder(target), target.chunk), { throwIfNoEntry: false });
      return `${target.chunk} ${file?.size} ${file?.mtimeMs}`;
    });
    this.#older = look(this.#older, seen.join('\n'), performance.now(), olderVersionMs / 4);
    return this.#older.unchangedMs >= olderVersionMs;
  }
}
