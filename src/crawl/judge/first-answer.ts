/**
 * Number of requests to send before the API answers one. A few are needed to tell a refused route from a single refused
 * record.
 */
export const FIRST_REQUESTS = 3;

/**
 * Sends only FIRST_REQUESTS requests of a chunk at first; the others wait until the API answers one. If the API refuses
 * every request, only these few are wasted.
 *
 * States: waiting → open (after `open()`) or stopped (after an error of `work`). In the state waiting, after the first
 * requests, one more request starts whenever none is in flight.
 */
export class FirstAnswer {
  #open = false;
  #stopped: { error: unknown } | null = null;
  #started = 0;
  #active = 0;
  #waiting: (() => void)[] = [];

  /** Lets all requests start. Call this after the first record that the API did not refuse, or that was skipped. */
  open(): void {
    this.#open = true;
    this.#wake();
  }

  /**
   * Waits until `work` may start, then runs it. If `work` throws, all waiting calls throw the same error.
   * @throws the error of `work`, or the error that stopped the chunk
   */
  async run(work: () => Promise<void>): Promise<void> {
    while (!this.#open && !this.#stopped && this.#started >= FIRST_REQUESTS && this.#active > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#stopped) throw this.#stopped.error;
    this.#started++;
    this.#active++;
    try {
      await work();
    } catch (error) {
      this.#stopped ??= { error };
      throw error;
    } finally {
      this.#active--;
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
