import { setTimeout as sleep } from 'node:timers/promises';
import { deliver, writeDelivery } from '../../stub/events.js';
import type { StubEvent, StubState } from '../../stub/state.js';

const EVERY_MS = 60;
const MOST_IN_FLIGHT = 8;
const FIRST_SECOND = Date.parse('2026-11-01T00:00:00Z');

/** Sends events to any receiver that answers and retries each until one answers 200, as the API does. */
export class Sender {
  /** Events answered with 200, by key. */
  readonly acknowledged = new Map<string, StubEvent>();
  readonly #state: StubState;
  #made = 0;
  #stop = false;
  #running: Promise<void> = Promise.resolve();

  constructor(state: StubState) {
    this.#state = state;
  }

  start(addresses: readonly string[]): void {
    this.#stop = false;
    this.#running = this.#send(addresses);
  }

  async stop(): Promise<void> {
    this.#stop = true;
    await this.#running;
  }

  async #send(addresses: readonly string[]): Promise<void> {
    const flying = new Set<Promise<void>>();
    while (!this.#stop) {
      if (flying.size < MOST_IN_FLIGHT) {
        const one = this.#sendOne(this.#make(), addresses).finally(() => flying.delete(one));
        flying.add(one);
      }
      await sleep(EVERY_MS);
    }
    await Promise.all(flying);
  }

  /** Gives each event its own second. */
  #make(): StubEvent {
    const n = this.#made++;
    const company = this.#state.companies[n % this.#state.companies.length]!;
    const at = new Date(FIRST_SECOND + n * 1_000).toISOString().replace('.000Z', 'Z');
    return {
      companyId: company.id,
      field: 'company.phone',
      at,
      old: null,
      new: `+45 ${n}`,
      message: '',
      listed: false,
    };
  }

  async #sendOne(event: StubEvent, addresses: readonly string[]): Promise<void> {
    const body = writeDelivery(this.#state, event);
    for (let attempt = 0; !this.#stop; attempt++) {
      const to = addresses[(attempt + Number(event.at.slice(17, 19))) % addresses.length]!;
      const status = await deliver(this.#state, body, { to }).catch(() => 0);
      if (status === 200) {
        this.acknowledged.set(keyOf(event), event);
        return;
      }
      await sleep(100);
    }
  }
}

function keyOf({ companyId, field, at }: StubEvent): string {
  return `${companyId} ${field} ${at.slice(0, 19).replace('T', ' ')}`;
}
