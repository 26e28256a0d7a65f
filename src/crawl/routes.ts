import { AutocompleteFieldError, InvalidRequestError, isRefusal, NotFoundError, type ApiError } from '../api/index.js';

// If a route has never answered, close it after this many refusals.
const FIRST_REFUSALS = 3;
// If a route has answered before, close it after this many consecutive refusals. If only single questions are refused,
// the count does not reach this number.
const REFUSALS_IN_A_ROW = 20;

/** Thrown when the API refuses every route that could answer a question. No request is sent to closed routes. */
export class RoutesClosedError extends Error {
  constructor() {
    super('the API refuses every route that could answer this question');
    this.name = 'RoutesClosedError';
  }
}

/** Whether an error is an answer of the route. An answer shows that the API key may use the route. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof NotFoundError || error instanceof InvalidRequestError || error instanceof AutocompleteFieldError
  );
}

/**
 * Records which routes the API refuses in this chunk. Routes that earlier chunks closed are closed from the start.
 *
 * States of a route: unknown → answered or closed; answered → closed. `closed` is final. An answered route is closed
 * after REFUSALS_IN_A_ROW consecutive refusals, an unknown route after FIRST_REFUSALS.
 */
export class Routes {
  readonly #closed: Set<string>;
  readonly #answered = new Set<string>();
  readonly #refusals = new Map<string, { inARow: number; error: ApiError }>();

  constructor(closed: readonly string[]) {
    this.#closed = new Set(closed);
  }

  isClosed(route: string): boolean {
    return this.#closed.has(route);
  }

  /** Returns the last refusal of each route that the API refused in this chunk and has not answered since then. */
  get refused(): ApiError[] {
    return [...this.#refusals.values()].flatMap(({ inARow, error }) => (inARow > 0 ? [error] : []));
  }

  /** Returns the last refusal of each route that was closed in this chunk. */
  get closed(): ApiError[] {
    return [...this.#refusals].flatMap(([route, { error }]) => (this.#closed.has(route) ? [error] : []));
  }

  /**
   * Sends a request on a route and records whether the route answered.
   * @throws the error of the request
   */
  async send<T>(route: string, request: () => Promise<T>): Promise<T> {
    try {
      const answer = await request();
      this.#noteAnswer(route);
      return answer;
    } catch (error) {
      if (isRefusal(error)) this.#noteRefusal(route, error);
      else if (isAnswer(error)) this.#noteAnswer(route);
      throw error;
    }
  }

  #noteAnswer(route: string): void {
    this.#answered.add(route);
    const refusals = this.#refusals.get(route);
    if (refusals) refusals.inARow = 0;
  }

  #noteRefusal(route: string, error: ApiError): void {
    const inARow = (this.#refusals.get(route)?.inARow ?? 0) + 1;
    this.#refusals.set(route, { inARow, error });
    if (inARow >= (this.#answered.has(route) ? REFUSALS_IN_A_ROW : FIRST_REFUSALS)) this.#closed.add(route);
  }
}
