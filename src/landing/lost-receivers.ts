import path from 'node:path';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import { runFolder, streamDir } from '../store/data-folder.js';
import { look, type Watch } from '../store/lock/holder.mjs';
import { gatherSpool, landSpool, spoolFile, spoolsDir, type PartTarget, type SpoolLimits } from './index.js';
import type { Data } from '../store/data.js';
import { STREAM, targetOf } from './deliveries.js';
import { DAY_MS, utcDay } from '../base/time/time.js';

// A living receiver lands its deliveries within a minute. If it could not, for example because the bucket was down, it
// does no harm that another receiver lands them: a part's manifest says how many rows of a spool it holds.
const ABANDONED_MS = 300_000;
// One of this many calls lists all days. The others list only today and yesterday.
const ALL_DAYS_EVERY = 100;

/** Options of LostReceivers. */
export interface LostReceiversOptions {
  limits?: SpoolLimits | undefined;
  /** Deliveries are landed when no delivery was added to their spool for this time, in milliseconds. */
  abandonedMs?: number | undefined;
  /** Called for each landed spool with its number of deliveries. */
  onLanded: (rows: number) => void;
}

/**
 * Lands deliveries of receivers on lost machines, from the pieces of their spools in the bucket. Does nothing if the
 * data is in a folder.
 */
export class LostReceivers {
  readonly #data: Data;
  readonly #options: LostReceiversOptions;
  #watches = new Map<string, Watch>();
  #calls = 0;
  #lookedAt = -Infinity;

  constructor(data: Data, options: LostReceiversOptions) {
    this.#data = data;
    this.#options = options;
  }

  /**
   * Looks once at the spools of other receivers, and lands the abandoned ones.
   * @param own this process's receiver
   * @param goesOn called between parts; if it throws, the work stops, and a later call continues
   */
  async adopt(own: string | undefined, goesOn: () => void): Promise<void> {
    const data = this.#data;
    const { limits, abandonedMs = ABANDONED_MS, onLanded } = this.#options;
    // Each look is a request.
    if (!data.isShared() || performance.now() - this.#lookedAt < abandonedMs / 10) return;
    this.#lookedAt = performance.now();
    const before = this.#watches;
    this.#watches = new Map();
    for (const [key, { target, pieces }] of await this.#find()) {
      if (own !== undefined && target.chunk.startsWith(own)) continue;
      const watch = look(before.get(key), { id: key, beat: pieces }, performance.now(), abandonedMs / 2);
      this.#watches.set(key, watch);
      if (watch.unchangedMs < abandonedMs) continue;
      await gatherSpool(data, spoolFile(runFolder(target), target.chunk));
      const rows = await landSpool(target, { limits, goesOn });
      if (rows > 0) onLanded(rows);
    }
  }

  /** Finds the spools that have pieces in the bucket, and their numbers of pieces. */
  async #find(): Promise<Map<string, { target: PartTarget; pieces: number }>> {
    const data = this.#data;
    const dates = [0, 1].map((days) => utcDay(Date.now() - days * DAY_MS));
    const recent = dates.map((date) => spoolsDir(runFolder({ data, stream: STREAM, run: WEBHOOK_RUN, date })));
    const folders = this.#calls++ % ALL_DAYS_EVERY === 0 ? [streamDir(data.dataDir, STREAM)] : recent;
    const found = new Map<string, { target: PartTarget; pieces: number }>();
    for (const folder of folders) {
      for (const { file } of await data.listGiven(folder)) {
        const spool = path.dirname(file);
        const [, date = '', chunk] = /date=([\d-]+).*[\\/]part-(.+)\.spool\.pieces$/.exec(spool) ?? [];
        if (chunk === undefined) continue;
        const target = targetOf(data, date, chunk);
        found.set(spool, { target, pieces: (found.get(spool)?.pieces ?? 0) + 1 });
      }
    }
    return found;
  }
}
