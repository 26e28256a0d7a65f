import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SIGNATURE_HEADER, type WebhookDelivery } from '../../schemas/v2/watch.js';

/** Maximum number of deliveries in flight. */
const IN_FLIGHT = 4;
/** Number of attempts for each delivery, including the first. The reference says "retried a few times". */
const TRIES = 5;
const TIMEOUT_MS = 10_000;
/** Number of deliveries that the control routes can list. */
const KEPT = 1000;

/** A delivery and its attempts. Its state goes from `waiting` to `delivered` or `failed`. */
export interface Delivery {
  id: number;
  url: string;
  body: string;
  signature: string;
  state: 'waiting' | 'delivered' | 'failed';
  tries: { at: string; answer: number | string }[];
}

/**
 * Sends events to the callback. Signs the raw body of each delivery (HMAC-SHA-256).
 *
 * An attempt succeeds if a 2xx answer arrives within 10 s. A failed attempt is repeated after `retryMs`; the default is
 * one minute. After five failed attempts, the delivery has failed.
 */
export class Webhooks {
  readonly #retryMs: number;
  readonly #stop = new AbortController();
  readonly #deliveries: Delivery[] = [];
  readonly #queue: Delivery[] = [];
  readonly #sending = new Set<Promise<void>>();
  #nextId = 1;

  constructor(retryMs: number) {
    this.#retryMs = retryMs;
  }

  /** Queues an event for delivery. */
  send(url: string, secret: string, event: WebhookDelivery): void {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const delivery: Delivery = { id: this.#nextId++, url, body, signature, state: 'waiting', tries: [] };
    this.#deliveries.push(delivery);
    if (this.#deliveries.length > KEPT) this.#deliveries.shift();
    this.#queue.push(delivery);
    this.#fill();
  }

  list(): readonly Delivery[] {
    return this.#deliveries;
  }

  /** Aborts all deliveries: those in flight and those that wait. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    this.#stop.abort();
    await Promise.all(this.#sending);
  }

  #fill(): void {
    while (this.#sending.size < IN_FLIGHT && !this.#stop.signal.aborted) {
      const next = this.#queue.shift();
      if (!next) return;
      const sending = this.#try(next).finally(() => {
        this.#sending.delete(sending);
        this.#fill();
      });
      this.#sending.add(sending);
    }
  }

  async #try(delivery: Delivery): Promise<void> {
    const answer = await this.#post(delivery);
    delivery.tries.push({ at: new Date().toISOString(), answer });
    if (typeof answer === 'number' && answer >= 200 && answer < 300) {
      delivery.state = 'delivered';
      return;
    }
    if (delivery.tries.length >= TRIES) {
      delivery.state = 'failed';
      return;
    }
    void this.#retryLater(delivery);
  }

  /** Waits before the next attempt, outside the queue. So a receiver that is down does not block other deliveries. */
  async #retryLater(delivery: Delivery): Promise<void> {
    try {
      await sleep(this.#retryMs, undefined, { signal: this.#stop.signal, ref: false });
    } catch {
      return;
    }
    this.#queue.push(delivery);
    this.#fill();
  }

  /** Makes one attempt. Returns the status of the answer, or the error message if no answer came. */
  async #post({ url, body, signature }: Delivery): Promise<number | string> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature },
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? cause.message : message;
    }
  }
}
