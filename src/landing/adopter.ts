import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import type { Data, SharedData } from '../store/data.js';
import { receiverLock, runFolder, streamDir } from '../store/data-folder.js';
import { look, type Watch } from '../store/lock/holder.mjs';
import { LockSeeker } from '../store/lock/lock.js';
import { DAY_MS, utcDay } from '../base/time/time.js';
import { listReceiverLocks, listSpools, STREAM, targetOf } from './deliveries.js';
import { landSpool, type SpoolLimits } from './land-spool.js';
import { spoolFile, spoolsDir, type PartTarget } from './paths.js';
import { chunkOfPiece } from './pieces.js';
import { gatherSpool } from './spool.js';

// A living receiver lands its deliveries within a minute. If it could not, for example because the bucket was down, it
// does no harm that another receiver lands them: each row lands once.
const ABANDONED_MS = 300_000;
// One of this many calls lists the spools of all days. The others list only today and yesterday.
const ALL_DAYS_EVERY = 100;

const DATE = new RegExp(String.raw`date=([\d-]+)[\\/]run=${WEBHOOK_RUN}[\\/]`);

/** Options of the Adopter. Times are in milliseconds. */
export interface AdopterOptions {
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  place?: string | undefined;
  limits?: SpoolLimits | undefined;
  /** Deliveries of another machine are landed when no delivery was added to their spool for this time. */
  abandonedMs?: number | undefined;
  /** Called for each landed spool with its number of deliveries. */
  onLanded: (rows: number) => void;
}

/**
 * Lands the spools of dead receivers. Remembers between calls what it saw of each receiver.
 *
 * - With a spool in this folder: only the holder of a receiver's lock may land its spools. So only one process lands
 *   them, and never while the receiver lives.
 * - With the data in a bucket, also the pieces of the spools of lost machines.
 */
export class Adopter {
  readonly #data: Data;
  readonly #options: AdopterOptions;
  #seekers = new Map<string, LockSeeker>();
  #watches = new Map<string, Watch>();
  #calls = 0;
  #looks = 0;
  #lookedAt = -Infinity;

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
    const since = this.#calls++ % ALL_DAYS_EVERY === 0 ? '' : recentDays()[0];
    const receivers = new Set([...listReceiverLocks(this.#data.dataDir), ...listSpools(this.#data, since).keys()]);
    receivers.delete(own ?? '');
    const before = this.#seekers;
    this.#seekers = new Map();
    const faults: unknown[] = [];
    // Continue after an error: a spool that cannot be landed must not delay the other spools.
    const note = (fault: unknown): unknown => faults.push(fault);
    for (const receiver of receivers) await this.#takeOver(receiver, before.get(receiver), goesOn).catch(note);
    await this.#landAbandoned(own, goesOn).catch(note);
    if (faults.length > 0) throw faults[0];
  }

  async #takeOver(receiver: string, known: LockSeeker | undefined, goesOn: () => void): Promise<void> {
    const { leaseMs, beatMs, place } = this.#options;
    const lockOptions = { what: 'landing the spools of another receiver', leaseMs, beatMs, place };
    const seeker = known ?? new LockSeeker(receiverLock(this.#data.dataDir, receiver), lockOptions);
    this.#seekers.set(receiver, seeker);
    const lock = seeker.attempt();
    if (lock === undefined) return;
    const stillHolds = (): void => {
      goesOn();
      lock.assertHeld();
    };
    try {
      // List the spools again: since the first list, the receiver may have landed its spools and released the lock.
      for (const target of listSpools(this.#data).get(receiver) ?? []) await this.#land(target, stillHolds);
    } finally {
      lock.release();
    }
  }

  async #land(target: PartTarget, goesOn: () => void): Promise<void> {
    const rows = await landSpool(target, { limits: this.#options.limits, goesOn });
    if (rows > 0) this.#options.onLanded(rows);
  }

  /** Looks at the pieces of other receivers in the bucket, and lands the spools to which nobody adds any. */
  async #landAbandoned(own: string | undefined, goesOn: () => void): Promise<void> {
    const data = this.#data;
    const { abandonedMs = ABANDONED_MS } = this.#options;
    // Each look is a request.
    if (!data.isShared() || performance.now() - this.#lookedAt < abandonedMs / 10) return;
    this.#lookedAt = performance.now();
    const before = this.#watches;
    this.#watches = new Map();
    for (const [spool, { target, pieces }] of await findGiven(data, this.#looks++ % ALL_DAYS_EVERY === 0)) {
      if (own !== undefined && target.chunk.startsWith(own)) continue;
      const watch = look(before.get(spool), { id: spool, beat: pieces }, performance.now(), abandonedMs / 2);
      this.#watches.set(spool, watch);
      if (watch.unchangedMs < abandonedMs) continue;
      await gatherSpool(data, spool);
      await this.#land(target, goesOn);
    }
  }
}

/** Yesterday and today. */
function recentDays(): [string, string] {
  return [utcDay(Date.now() - DAY_MS), utcDay(Date.now())];
}

/** Finds the spools that have pieces in the bucket, and their numbers of pieces. */
async function findGiven(
  data: SharedData,
  allDays: boolean,
): Promise<Map<string, { target: PartTarget; pieces: number }>> {
  const folders = recentDays().map((date) => spoolsDir(runFolder({ data, stream: STREAM, run: WEBHOOK_RUN, date })));
  const found = new Map<string, { target: PartTarget; pieces: number }>();
  for (const folder of allDays ? [streamDir(data.dataDir, STREAM)] : folders) {
    for (const { file } of await data.listGiven(folder)) {
      const [chunk, date] = [chunkOfPiece(file), DATE.exec(file)?.[1]];
      if (chunk === undefined || date === undefined) continue;
      const target = targetOf(data, date, chunk);
      const spool = spoolFile(runFolder(target), chunk);
      found.set(spool, { target, pieces: (found.get(spool)?.pieces ?? 0) + 1 });
    }
  }
  return found;
}
