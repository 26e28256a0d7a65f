import type { ApiError } from '../../api/index.js';
import { Judge } from './judge.js';
import { kindOf, RoutesClosedError } from './kinds.js';

/**
 * Records which routes the API refuses in this chunk. Each route has its own judge. There is no other record that could
 * show whether the API refuses the whole route, so the judge's wish for one closes the route. Routes that earlier chunks
 * closed are closed from the start.
 */
export class Routes {
  readonly #closed: Set<string>;
  readonly #judges = new Map<string, Judge>();
  readonly #refusals = new Map<string, ApiError>();

  constructor(closed: readonly string[]) {
    this.#closed = new Set(closed);
  }

  /** The last refusal of each route that the API refused in this chunk and has not answered since then. */
  get refused(): ApiError[] {
    return [...this.#refusals].flatMap(([route, error]) => (this.#judges.get(route)?.inARow('refused') ? [error] : []));
  }

  /** The last refusal of each route that was closed in this chunk. */
  get closed(): ApiError[] {
    return [...this.#refusals].flatMap(([route, error]) => (this.#closed.has(route) ? [error] : []));
  }

  /**
   * Sends a request on a route and records whether the route answered.
   * @throws RoutesClosedError when the route is closed, or when the API's refusal closes it
   * @throws the error of the request
   */
  async send<T>(route: string, request: () => Promise<T>): Promise<T> {
    if (this.#closed.has(route)) throw new RoutesClosedError();
    const judge = this.#judges.get(route) ?? new Judge('records');
    this.#judges.set(route, judge);
    try {
      const answer = await request();
      judge.answered();
      return answer;
    } catch (error) {
      const kind = kindOf(error);
      if (kind === 'gone' || kind === 'invalid') judge.answered();
      if (kind !== 'refused') throw error;
      this.#refusals.set(route, error as ApiError);
      if (judge.failed(kind) === 'control') this.#closed.add(route);
      throw this.#closed.has(route) ? new RoutesClosedError() : error;
    }
  }
}
