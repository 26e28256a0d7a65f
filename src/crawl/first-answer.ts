/** Requests that are sent before the first is answered: enough to tell a route that is refused from one record. */
export const FIRST_REQUESTS = 3;

/**
 * Holds back all but the first requests of a chunk until one of them is answered. Where the API refuses or limits every
 * request, only these are spent on learning so.
 */
export class FirstAnswer {
  #open = false;
  #stopped: { error: unknown } | null = null;
  #started = 0;
  #active = 0;
  #waiting: (() => void)[] = [];

  /** Something was answered: everything may be sent. */
  open(): void {
    this.#open = true;
    this.#wake();
  }

  /** Does `work` when it may begin; what it throws stops all that wait. */
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
