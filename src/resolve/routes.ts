import {
  AutocompleteFieldError,
  InvalidRequestError,
  isRefusal,
  NotFoundError,
  type ApiError,
} from '../api-client/index.js';

// So many refusals of a route that never answered close it.
const FIRST_REFUSALS = 3;
// So many refusals in a row of a route that answered before are no matter of single questions.
const REFUSALS_IN_A_ROW = 20;

/** Every route that could answer is refused to the key: nothing was sent. */
export class RoutesClosedError extends Error {
  constructor() {
    super('the API refuses every route that could answer this');
    this.name = 'RoutesClosedError';
  }
}

/** Errors by which a route answers: the key may use it. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof NotFoundError || error instanceof InvalidRequestError || error instanceof AutocompleteFieldError
  );
}

/** Which of several routes the API refuses to the key, as far as a chunk or the chunks before it have met it. */
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

  /** What routes said that were refused here and not answered. */
  get refused(): ApiError[] {
    return [...this.#refusals.values()].flatMap(({ inARow, error }) => (inARow > 0 ? [error] : []));
  }

  /** What routes said that are not asked any more. */
  get closed(): ApiError[] {
    return [...this.#refusals].flatMap(([route, { error }]) => (this.#closed.has(route) ? [error] : []));
  }

  /** Sends a request of a route, and remembers how it ended. */
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
