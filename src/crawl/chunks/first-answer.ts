/** Requests sent before the first answer: enough to distinguish a refused route from a single refused record. */
export const FIRST_REQUESTS = 3;

/**
 * Holds back all but the first FIRST_REQUESTS requests of a chunk until the API answers one of them. If the API refuses
 * or limits every request, only these few are wasted.
 *
 * States: waiting → open (after `open()`) or stopped (after an error of `work`). While waiting, one request starts
 * whenever none is in flight.
 */
export class FirstAnswer {
  #open = false;
  #stopped: { error: unknown } | null = null;
  #started = 0;
  #active = 0;
  #waiting: (() => void)[] = [];

  /** Lets all requests start. Called after the API's first answer. */
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
