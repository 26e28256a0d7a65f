interface Waiter {
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/**
 * Gives out slots for requests in flight. The number of slots (the window) adapts to the API:
 * - A `limit` answer halves the window, but only once for requests that were in flight together.
 * - After as many good answers as the window has slots, the window grows by one slot.
 */
export class ConcurrencyGate {
  #max: number;
  #window: number;
  #active = 0;
  #closed: Error | null = null;
  /**
   * Number of slots given out so far. A slot's ticket is this number when the slot is given out. `#halvedAt` is this
   * number at the last halving: a `limit` answer to a ticket up to `#halvedAt` does not halve the window again.
   */
  #ticket = 0;
  #halvedAt = 0;
  readonly #waiters = new Set<Waiter>();

  constructor(max: number) {
    this.#max = max;
    this.#window = max;
  }

  /** Number of slots that may be in use now; at least 1. */
  get window(): number {
    return Math.max(1, Math.floor(this.#window));
  }

  get active(): number {
    return this.#active;
  }

  /** Changes the maximum. If the window was as large as the old maximum, it becomes as large as the new one. */
  setMax(max: number): void {
    this.#window = this.#window >= this.#max ? max : Math.min(this.#window, max);
    this.#max = max;
    this.#admit();
  }

  /** Takes a slot and returns its ticket. Returns 0 if no slot is free. */
  tryAcquire(): number {
    if (this.#closed !== null) throw this.#closed;
    if (this.#active >= this.window || this.#waiters.size > 0) return 0;
    this.#active++;
    return ++this.#ticket;
  }

  /**
   * Waits for a slot and returns its ticket. Slots are given out in the order of the calls. Rejects with the signal's
   * reason, or when the gate closes.
   */
  async acquire(signal: AbortSignal | undefined): Promise<number> {
    const ticket = this.tryAcquire();
    if (ticket > 0) return ticket;
    const { promise, resolve, reject } = withResolvers();
    const waiter: Waiter = { resolve, reject };
    const onAbort = (): void => {
      this.#waiters.delete(waiter);
      reject(signal?.reason);
    };
    this.#waiters.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return ++this.#ticket;
  }

  release(): void {
    this.#active--;
    this.#admit();
  }

  /** Widens the window by a fraction of a slot after a good answer. */
  succeeded(): void {
    if (this.#window < this.#max) {
      this.#window = Math.min(this.#max, this.#window + 1 / this.#window);
      this.#admit();
    }
  }

  /** Halves the window after a `limit` answer to the request with this ticket. */
  limited(ticket: number): void {
    if (ticket <= this.#halvedAt) return;
    this.#window = Math.max(1, this.#window / 2);
    this.#halvedAt = this.#ticket;
  }

  /** Rejects all waiting and later calls. Calls that have a slot keep it. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const waiter of this.#waiters) waiter.reject(reason);
    this.#waiters.clear();
  }

  #admit(): void {
    for (const waiter of this.#waiters) {
      if (this.#active >= this.window) return;
      this.#waiters.delete(waiter);
      this.#active++;
      waiter.resolve();
    }
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
