import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { receiverLock, runFolder } from '../../store/data-folder.js';
import { WEBHOOK_REQUEST } from '../../../schemas/pipeline/landing.js';
import type { Clock } from '../../base/time/clock.js';
import { syncPath } from '../../store/files.js';
import { LEASE_MS } from '../../store/lock/folder-lock.mjs';
import { LockLostError, takeLock, type Lock } from '../../store/lock/lock.js';
import {
  frameOf,
  landSpool,
  Spool,
  SPOOL_LIMITS,
  spoolFile,
  stripFrame,
  type Frame,
  type PartTarget,
  type SpoolLimits,
} from '../../landing/index.js';
import type { Data } from '../../store/data.js';
import { Adopter } from '../../landing/adopter.js';
import { newReceiverId, nextChunk } from '../../landing/deliveries.js';

const COMMIT_EVERY_MS = 60_000;

/** Options of the log. Times are in milliseconds. */
export interface DeliveryLogOptions {
  /** Called for each landed spool with its number of deliveries. */
  onCommit?: (rows: number) => void;
  /** Called when a spool cannot be landed. The log then tries again. */
  onFault?: (error: unknown) => void;
  /** Longest time before a spool is landed, so that the next load sees new deliveries soon (default: one minute). */
  commitEveryMs?: number;
  /** Size limits of a spool. */
  limits?: SpoolLimits;
  /** Options for `Lock`. */
  leaseMs?: number;
  beatMs?: number;
  place?: string;
  /** Option of Adopter. */
  abandonedMs?: number;
}

interface Waiting {
  frame: Frame;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** This process's role among the receivers that share the data folder. */
interface Receiver {
  id: string;
  lock: Lock;
  /** The current spool. After a fault, it is closed and later opened again. */
  chunk: { target: PartTarget; spool: Spool | undefined; rows: number } | undefined;
  /** Full spools that wait to be landed. */
  full: PartTarget[];
  chunks: number;
}

/**
 * Stores deliveries as rows of the stream watch_events. When `keep` resolves, the delivery is in a synced spool, and with
 * the data in a bucket, also there. Within a minute, it is in a part. Deliveries that arrive together share one sync. Several logs may share a data folder, also
 * on several machines. Each log has its own spools and lands the spools of dead processes.
 *
 * States of a delivery: waiting → spooled (synced, `keep` resolves) → landed.
 *
 * States of this receiver: none → joined (holds its lock) → none (lock lost). After the loss of the lock, the next
 * write joins with another id.
 */
export class DeliveryLog {
  readonly #data: Data;
  readonly #clock: Clock;
  readonly #options: DeliveryLogOptions;
  readonly #timers: NodeJS.Timeout[];
  readonly #adopter: Adopter;
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #receiver: Receiver | undefined;
  #working: Promise<void> | undefined;
  #adopting: Promise<void> | undefined;
  #commitDue = false;
  #landDue = false;

  private constructor(data: Data, clock: Clock, options: DeliveryLogOptions) {
    const { commitEveryMs = COMMIT_EVERY_MS, leaseMs = LEASE_MS, onCommit = () => undefined } = options;
    this.#data = data;
    this.#clock = clock;
    this.#options = options;
    this.#adopter = new Adopter(data, { ...options, onLanded: onCommit });
    const commit = (): void => {
      this.#commitDue = true;
      this.#work();
    };
    this.#timers = [setInterval(commit, commitEveryMs), setInterval(() => this.#adopt(), leaseMs / 10)];
    for (const timer of this.#timers) timer.unref();
  }

  /** Opens the log and starts to land the spools of dead receivers. */
  static open(data: Data, clock: Clock, options: DeliveryLogOptions = {}): DeliveryLog {
    const log = new DeliveryLog(data, clock, options);
    log.#adopt();
    return log;
  }

  /**
   * Stores a delivery. Resolves once it is on disk. Rejects if it may not be on disk. If a delivery is stored twice, it
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
      fetched_at: this.#clock.now().toISOString(),
      body,
    });
    const frame = stripFrame({ data: this.#data, stream: 'watch_events' }, received);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frame, resolve, reject });
      this.#work();
    });
  }

  /** Lands all deliveries and stops. Deliveries that cannot be landed stay in their spool for the next receiver. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
    this.#commitDue = true;
    this.#work();
    while (this.#working) await this.#working;
    while (this.#adopting) await this.#adopting;
    this.#receiver?.lock.release();
    this.#receiver = undefined;
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
        // Send the answers first. Deliveries that arrive meanwhile share the next sync.
        await setImmediate();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (this.#landDue) await this.#land();
    }
    if (!this.#commitDue) return;
    this.#commitDue = false;
    await this.#rotate().catch(() => this.#closeSpool());
    await this.#land();
  }

  /**
   * Writes frames to this process's own spools and syncs the spools. If this process was suspended, another process may
   * have taken over its spools. Then the frames go to new spools under another receiver id.
   * @throws LockLostError after three attempts
   */
  async #write(frames: readonly Frame[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const receiver = await this.#join();
        for (const frame of frames) await this.#append(receiver, frame);
        await receiver.chunk?.spool?.sync();
        await receiver.chunk?.spool?.give();
        // The lock is still held after the sync. So a process that takes over the spools later finds these frames.
        receiver.lock.assertHeld();
        return;
      } catch (error) {
        await this.#closeSpool();
        if (!(error instanceof LockLostError)) throw error;
        this.#receiver = undefined;
        if (attempt === 3) throw error;
      }
    }
  }

  async #append(receiver: Receiver, frame: Frame): Promise<void> {
    const { limits = SPOOL_LIMITS } = this.#options;
    const chunk = (receiver.chunk ??= {
      target: nextChunk(this.#data, receiver.id, receiver.chunks++, this.#clock.now()),
      spool: undefined,
      rows: 0,
    });
    if (chunk.spool === undefined) {
      // Check the lock first: if another process has landed and removed the spool, do not create it again.
      receiver.lock.assertHeld();
      const file = spoolFile(runFolder(chunk.target), chunk.target.chunk);
      chunk.spool = await Spool.open(file, this.#data);
      chunk.rows = chunk.spool.found.length;
      await syncPath(path.dirname(file), this.#data.dataDir);
    }
    chunk.spool.add(frame, 1);
    chunk.rows++;
    if (chunk.rows < limits.rows && chunk.spool.bytes < limits.bytes) return;
    await this.#rotate();
    this.#landDue = true;
  }

  /** Syncs and closes the current spool, because it is full or due. */
  async #rotate(): Promise<void> {
    const chunk = this.#receiver?.chunk;
    if (this.#receiver === undefined || chunk === undefined) return;
    await chunk.spool?.sync();
    await chunk.spool?.give();
    await chunk.spool?.close();
    this.#receiver.full.push(chunk.target);
    this.#receiver.chunk = undefined;
  }

  async #closeSpool(): Promise<void> {
    const chunk = this.#receiver?.chunk;
    await chunk?.spool?.close().catch(() => undefined);
    if (chunk) chunk.spool = undefined;
  }

  /** Lands full spools. If an error occurs, the spool stays, and the next call tries again. */
  async #land(): Promise<void> {
    this.#landDue = false;
    const { limits, onCommit, onFault } = this.#options;
    for (;;) {
      const receiver = this.#receiver;
      const target = receiver?.full[0];
      if (receiver === undefined || target === undefined) return;
      try {
        const rows = await landSpool(target, { limits, goesOn: () => receiver.lock.assertHeld() });
        receiver.full.shift();
        if (rows > 0) onCommit?.(rows);
      } catch (error) {
        // After the loss of the lock, this or another process lands the spools as those of a dead receiver.
        if (error instanceof LockLostError) {
          await this.#closeSpool();
          this.#receiver = undefined;
        } else {
          onFault?.(error);
        }
        return;
      }
    }
  }

  async #join(): Promise<Receiver> {
    if (this.#receiver !== undefined) return this.#receiver;
    const { leaseMs, beatMs, place } = this.#options;
    const id = newReceiverId();
    const lock = await takeLock(receiverLock(this.#data.dataDir, id), {
      what: 'webhook receiver',
      leaseMs,
      beatMs,
      place,
    });
    this.#receiver = { id, lock, chunk: undefined, full: [], chunks: 0 };
    return this.#receiver;
  }

  #adopt(): void {
    const goesOn = (): void => this.#closing.signal.throwIfAborted();
    this.#adopting ??= this.#adopter
      .adopt(this.#receiver?.id, goesOn)
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted && !(error instanceof LockLostError)) this.#options.onFault?.(error);
      })
      .finally(() => {
        this.#adopting = undefined;
      });
  }
}
