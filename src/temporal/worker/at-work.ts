import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Place } from '../../api/limiter.js';
import { listCrawlWorkers } from '../crawl-workers.js';

const LOOK_EVERY_MS = 3_000;
/** A worker that the server has listed for this time is counted by all other workers. */
const COUNTED_AFTER_MS = 2 * LOOK_EVERY_MS;

export interface Watching {
  identity: string;
  onChange: (place: Place) => void;
  stop: AbortSignal;
}

/**
 * Watches how many workers share the limits of the API key. Every worker sorts the identities of all workers, so all
 * agree on the order. Look for other workers before the first request: await `look` once.
 */
export class WorkersAtWork {
  readonly #client: Client;
  readonly #watching: Watching;
  #place: Place = { workers: 1, rank: 0 };
  #reported = '';
  /** When the server listed this worker for the first time, by `performance.now()`. */
  #listedAt: number | undefined;

  constructor(client: Client, watching: Watching) {
    this.#client = client;
    this.#watching = watching;
  }

  /** Counts the workers now, and calls `onChange` if the place of this worker has changed. */
  async look(): Promise<void> {
    const { identity, onChange } = this.#watching;
    // If the server does not answer, keep the last count. The server then gives out no new work.
    const listed = await listCrawlWorkers(this.#client).catch(() => null);
    if (listed === null) return;
    if (listed.includes(identity)) this.#listedAt ??= performance.now();
    this.#place = placeOf(identity, listed);
    if (JSON.stringify(this.#place) === this.#reported) return;
    this.#reported = JSON.stringify(this.#place);
    onChange(this.#place);
  }

  /** Looks every few seconds until the worker stops. */
  start(): void {
    const { stop } = this.#watching;
    void (async () => {
      for (;;) {
        await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
        await this.look();
      }
    })().catch(() => undefined);
  }

  /**
   * Waits until the other workers have counted this one, because until then they use its share. A worker that is alone
   * does not wait.
   * @throws the reason of the signal, if it is aborted before
   */
  async counted(signal: AbortSignal): Promise<void> {
    if (this.#listedAt === undefined) await this.look();
    const since = this.#listedAt ?? performance.now();
    const left = since + COUNTED_AFTER_MS - performance.now();
    // A timer may fire up to a millisecond early.
    if (this.#place.workers > 1 && left > 0) await delay(Math.ceil(left) + 1, undefined, { signal });
  }
}

/** Returns the place of a worker among the listed ones, which need not contain it. */
export function placeOf(identity: string, listed: readonly string[]): Place {
  const all = [...new Set([identity, ...listed])].toSorted();
  return { workers: all.length, rank: all.indexOf(identity) };
}
