import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount, formatDuration, formatRate } from '../../schemas/format.js';
import { Allowance } from './allowance.js';
import type { PendingCall, Stage } from './pending-call.js';

/** How many workers share the API key, and the place of this one in their common order, from 0. */
export interface Place {
  workers: number;
  rank: number;
}

/** What limits the requests of a client now. */
export type Limits = Limiter['limits'];

/** Ticket of a request that must not be sent, because the daily limit is reached. */
export const NOT_SENT = 0;

// Requests that use no quota go first, because all others may depend on their answer.
const FIRST_RANK = 0;

/** A request that waits for its turn. */
interface Waiter extends Stage {
  rank: number;
  resolve: (ticket: number) => void;
  reject: (reason: unknown) => void;
}

/**
 * The only place that delays the requests of a client: requests in flight, requests per second, waits that the API asks
 * for, and the daily limit. `Allowance` has the rules of the first three.
 *
 * Waiting requests start in the order in which their signals came first. All requests of a chunk have the same signal,
 * so the requests of an earlier chunk go first. Otherwise all chunks of a worker would end at the same time, and no
 * request would be in flight while their parts are written.
 *
 * After the daily limit, requests that use quota are not sent. Only `open()` changes that, because the reference does
 * not say when the API lifts the limit (reference v2, "Errors").
 */
export class Limiter {
  /** What the API said when the daily limit was reached; null if requests may be sent. */
  dailyLimit: string | null = null;
  /** Tell it what the answers say. */
  readonly allowance: Allowance;
  /** Requests that wait for their turn, the next one first. */
  #queue: Waiter[] = [];
  /** Wakes the next request at its instant. */
  #alarm: NodeJS.Timeout | null = null;
  #place: Place = { workers: 1, rank: 0 };
  #max: number;
  readonly #closing = new AbortController();

  /** @param perSecond requests that may start per second; default: no limit */
  constructor(
    private readonly maxConcurrency: number,
    private readonly perSecond = Infinity,
  ) {
    this.#max = maxConcurrency;
    this.allowance = new Allowance(maxConcurrency, perSecond);
  }

  get limits() {
    const now = performance.now();
    const { active, allowed } = this.allowance;
    const pace = this.allowance.rateAt(now);
    return {
      /** Requests in flight. */
      active,
      /** Requests that may be in flight now. Falls below `max` after `limit` answers. */
      allowed,
      /** Requests that may be in flight at most. */
      max: this.#max,
      /** Requests that wait until they may start. */
      waiting: this.#queue.length,
      /** Requests that may start per second; null without a limit. */
      perSecond: pace === Infinity ? null : pace,
      /** Milliseconds until the next request may start, because the API asked for it with `Retry-After`. */
      heldMs: this.allowance.heldMs(now),
      /** Whether `limit` answers slow the requests down. */
      isSlowed: this.allowance.isSlowed(now),
      /** Whether the daily limit stops all requests that use quota. */
      isDailyLimit: this.dailyLimit !== null,
      /** Workers that share the API key, this one included. */
      workers: this.#place.workers,
    };
  }

  /**
   * Takes this worker's share of the limits. The shares of all workers add up to at most the limits, unless there are
   * more workers than requests: a worker always has at least one. A worker may still count others that have ended. Its
   * share is then too small, never too large.
   */
  share(place: Place): void {
    this.#place = place;
    this.#max = shareOf(this.maxConcurrency, place);
    this.allowance.setMost(this.#max, this.perSecond / place.workers);
    this.#admit();
  }

  /**
   * Waits until a request may start. Call `release` when it has ended.
   * @param isFree whether the request uses no quota
   * @returns its ticket, for `Allowance.limited`; NOT_SENT after the daily limit. A promise only if the request must wait.
   * @throws the signal's reason; the reason of `close`
   */
  acquire(isFree: boolean, call: PendingCall): number | Promise<number> {
    this.#closing.signal.throwIfAborted();
    call.signal?.throwIfAborted();
    if (this.dailyLimit !== null && !isFree) return NOT_SENT;
    const now = performance.now();
    if (this.#queue.length === 0 && this.allowance.wait(now) === 0) return this.allowance.start(now);
    return this.#wait(isFree ? FIRST_RANK : call.rank, call);
  }

  /** Ends a request that got a ticket. */
  release(): void {
    this.allowance.end();
    if (this.#queue.length > 0) this.#admit();
  }

  /** Waits before a retry. Throws like `acquire`. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const ends = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    await sleep(ms, undefined, { signal: ends }).catch(() => ends.throwIfAborted());
  }

  /** Stops all requests that use quota, after an answer with the daily limit. */
  stop(message: string): void {
    this.dailyLimit = message;
    const waiting = this.#queue;
    this.#queue = waiting.filter(({ rank }) => rank === FIRST_RANK);
    for (const waiter of waiting) if (waiter.rank !== FIRST_RANK) waiter.resolve(NOT_SENT);
  }

  /** Allows requests again after the daily limit. */
  open(): void {
    this.dailyLimit = null;
  }

  /** Rejects all waiting and later calls. Requests in flight are not affected. */
  close(reason: Error): void {
    this.#closing.abort(reason);
    clearTimeout(this.#alarm ?? undefined);
    for (const waiter of this.#queue.splice(0)) waiter.reject(reason);
  }

  /** Waits in the queue, behind all requests of the same or an earlier rank. */
  #wait(rank: number, call: PendingCall): Promise<number> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#queue = this.#queue.filter((other) => other !== waiter);
        reject(call.signal?.reason);
      };
      const waiter = { rank, resolve, reject, abort };
      call.stage = waiter;
      this.#queue.splice(this.#queue.findLastIndex((other) => other.rank <= rank) + 1, 0, waiter);
      this.#admit();
    });
  }

  /**
   * Starts waiting requests while the limits allow it.
   * @param due since when the first one may start
   */
  #admit(due = performance.now()): void {
    const now = performance.now();
    while (this.#queue.length > 0 && this.#alarm === null) {
      const wait = this.allowance.wait(now);
      if (wait === Infinity) return;
      if (wait === 0) this.#queue.shift()!.resolve(this.allowance.start(Math.min(due, now)));
      else this.#alarm = setTimeout(() => this.#wake(now + wait), Math.ceil(wait));
    }
  }

  #wake(due: number): void {
    this.#alarm = null;
    this.#admit(due);
  }
}

/** Computes how many of `most` requests in flight a worker may have. */
export function shareOf(most: number, { workers, rank }: Place): number {
  return Math.max(1, Math.ceil((most - rank) / workers));
}

/** Says in a few words how `limit` answers slow a worker down; null if they do not. */
export function describeSlowed({ isSlowed, heldMs, perSecond, allowed }: Limits): string | null {
  if (!isSlowed) return null;
  if (heldMs > 0) return `the API asks to wait ${formatDuration(heldMs)}`;
  const pace = perSecond === null ? '' : `, ${formatRate(perSecond)}`;
  return `slowed by limit to ${formatCount(allowed)} at a time${pace}`;
}
