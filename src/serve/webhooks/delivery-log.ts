import { setImmediate } from 'node:timers/promises';
import { WEBHOOK_REQUEST } from '../../../schemas/pipeline/landing.js';
import type { Clock } from '../../base/time/clock.js';
import { frameOf, SPOOL_LIMITS, stripFrame, type Frame, type SpoolLimits } from '../../landing/index.js';
import type { Data } from '../../store/data.js';
import { ABANDONED_MS, Adopter } from '../../landing/adopter.js';
import { beginChunk, nameReceiver, type DeliveryChunk } from '../../landing/deliveries.js';

const COMMIT_EVERY_MS = 60_000;

/** Options of the log. Times are in milliseconds. */
export interface DeliveryLogOptions {
  /** Called for each landed chunk with its number of deliveries. */
  onCommit?: (rows: number) => void;
  /** Called when deliveries cannot be landed. The adopter of a log lands them later. */
  onFault?: (error: unknown) => void;
  /** Longest time before deliveries are landed, so that the next load sees them soon (default: one minute). */
  commitEveryMs?: number;
  /** Size limits of a chunk. */
  limits?: SpoolLimits;
  /** Options of Adopter. */
  abandonedMs?: number;
  place?: string;
}

interface Waiting {
  frame: Frame;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Stores deliveries as rows of the stream watch_events. When `keep` resolves, the delivery is on disk, or in the bucket
 * that holds the data. Within a minute, it is in a part. Deliveries that arrive together share one file. Several logs may
 * share a data folder, also on several machines. Each log also lands the deliveries of dead receivers (deliveries.ts).
 *
 * States of a delivery: waiting → stored (`keep` resolves) → landed.
 */
export class DeliveryLog {
  readonly #data: Data;
  readonly #clock: Clock;
  readonly #options: DeliveryLogOptions;
  readonly #receiver: string;
  readonly #timers: NodeJS.Timeout[];
  readonly #adopter: Adopter;
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #chunk: DeliveryChunk | undefined;
  #chunks = 0;
  #lastTime = 0;
  #working: Promise<void> | undefined;
  #adopting: Promise<void> | undefined;
  #commitDue = false;

  private constructor(data: Data, clock: Clock, options: DeliveryLogOptions) {
    const { commitEveryMs = COMMIT_EVERY_MS, abandonedMs = ABANDONED_MS, place, limits, onCommit } = options;
    this.#data = data;
    this.#clock = clock;
    this.#options = options;
    this.#receiver = nameReceiver(place);
    const goesOn = (): void => this.#closing.signal.throwIfAborted();
    this.#adopter = new Adopter(data, { place, limits, abandonedMs, goesOn, onLanded: (rows) => onCommit?.(rows) });
    const commit = (): void => {
      this.#commitDue = true;
      this.#work();
    };
    // In a bucket, each look costs requests.
    const lookEveryMs = abandonedMs / (data.isShared() ? 4 : 40);
    this.#timers = [setInterval(commit, commitEveryMs), setInterval(() => this.#adopt(), lookEveryMs)];
    for (const timer of this.#timers) timer.unref();
  }

  /** Opens the log and starts to land the deliveries of dead receivers. */
  static open(data: Data, clock: Clock, options: DeliveryLogOptions = {}): DeliveryLog {
    const log = new DeliveryLog(data, clock, options);
    log.#adopt();
    return log;
  }

  /**
   * Stores a delivery. Resolves once it is on disk, or in the bucket. Rejects if this is not sure. If a delivery is stored twice, it
   * still counts as one event. Also rejects while forgotten people cannot be recognized.
   * @param body the delivery's exact text
   * @param companyId null when the delivery names no usable company
   */
  async keep(body: string, companyId: string | null): Promise<void> {
    const received = frameOf({
      request_key: `${WEBHOOK_REQUEST}/delivery`,
      entity_id: companyId,
      row_kind: 'webhook',
      status: 200,
      fetched_at: this.#nextTime(),
      body,
    });
    const frame = stripFrame({ data: this.#data, stream: 'watch_events' }, received);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frame, resolve, reject });
      this.#work();
    });
  }

  /**
   * Returns the time now, or a millisecond after the delivery before: the time tells the rows of a chunk apart. If a clock
   * that was ahead is set back, follows it: a chunk ends before the same times come again.
   */
  #nextTime(): string {
    const now = this.#clock.now().getTime();
    this.#lastTime = now < this.#lastTime - COMMIT_EVERY_MS ? now : Math.max(now, this.#lastTime + 1);
    return new Date(this.#lastTime).toISOString();
  }

  /** Lands all deliveries and stops. Deliveries that cannot be landed stay for the next receiver. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
    this.#commitDue = true;
    this.#work();
    while (this.#working) await this.#working;
    await this.#adopting;
  }

  #work(): void {
    this.#working ??= this.#drain().finally(() => {
      this.#working = undefined;
      // Deliveries may have arrived while this work ended.
      if (this.#waiting.length > 0 || this.#commitDue) this.#work();
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.#write(group.map(({ frame }) => frame));
        for (const { resolve } of group) resolve();
        // Send the answers first. Deliveries that arrive meanwhile share the next file.
        await setImmediate();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (this.#commitDue) await this.#land();
    }
    if (this.#commitDue) await this.#land();
  }

  async #write(frames: readonly Frame[]): Promise<void> {
    const { limits = SPOOL_LIMITS } = this.#options;
    this.#chunk ??= beginChunk(this.#data, this.#receiver, this.#chunks++, this.#clock.now());
    await this.#chunk.add(frames);
    this.#commitDue ||= this.#chunk.frames.length >= limits.rows || this.#chunk.bytes >= limits.bytes;
  }

  /** Lands this log's chunk. After an error, its deliveries count as abandoned: the adopter lands them later. */
  async #land(): Promise<void> {
    const chunk = this.#chunk;
    this.#commitDue = false;
    this.#chunk = undefined;
    try {
      const rows = (await chunk?.land({ limits: this.#options.limits })) ?? 0;
      if (rows > 0) this.#options.onCommit?.(rows);
    } catch (error) {
      this.#options.onFault?.(error);
    }
  }

  #adopt(): void {
    this.#adopting ??= this.#adopter
      .adopt()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#options.onFault?.(error);
      })
      .finally(() => {
        this.#adopting = undefined;
      });
  }
}
