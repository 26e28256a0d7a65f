/** Counts requests by route and by status, and requests in flight, since the start or since the last reset. */
export class RequestLog {
  #total = 0;
  #inFlight = 0;
  #mostInFlight = 0;
  readonly #routes = new Map<string, number>();
  readonly #statuses = new Map<number, number>();

  /** Counts a request that has arrived. */
  begin(): void {
    this.#mostInFlight = Math.max(this.#mostInFlight, ++this.#inFlight);
  }

  /** Counts the end of a request, with or without an answer. */
  end(): void {
    this.#inFlight--;
  }

  /** Counts an answered request. `route` looks like `GET /v2/companies/{id}`. */
  count(route: string, status: number): void {
    this.#total++;
    this.#routes.set(route, (this.#routes.get(route) ?? 0) + 1);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  report(): { total: number; mostInFlight: number; routes: Record<string, number>; statuses: Record<string, number> } {
    return {
      total: this.#total,
      mostInFlight: this.#mostInFlight,
      routes: Object.fromEntries([...this.#routes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      statuses: Object.fromEntries(this.#statuses),
    };
  }

  clear(): void {
    this.#total = 0;
    this.#mostInFlight = this.#inFlight;
    this.#routes.clear();
    this.#statuses.clear();
  }
}
