import type { Misfit } from '../../schemas/v2/read-leniently.js';
import { ApiError } from './errors.js';
import type { ApiResponse, CallFacts } from './options.js';
import type { Content, Reading } from './read-answer.js';
import type { Route } from './route.js';
import { servedAt, type Answer } from './transport.js';

/** An answer whose `data`, `misfits`, `body` and `servedAt` are computed only when they are read. */
export class LazyResponse<T> implements ApiResponse<T> {
  readonly endpoint: string;
  readonly requestKey: string;
  readonly status: number;
  readonly fetchedAt: string;
  readonly attempts: number;
  readonly bytes: () => Buffer;
  readonly #route: Route<T>;
  readonly #answer: Answer;
  #text: string | undefined;
  #reading: Reading<T> | undefined;

  constructor(route: Route<T>, facts: CallFacts, answer: Answer) {
    this.endpoint = facts.endpoint;
    this.requestKey = facts.requestKey;
    this.status = facts.status;
    this.fetchedAt = facts.fetchedAt;
    this.attempts = facts.attempts;
    this.bytes = () => answer.body;
    this.#route = route;
    this.#answer = answer;
    Object.defineProperties(this, OWN_GETTERS);
  }

  get data(): T {
    return this.#content().data();
  }

  get misfits(): readonly Misfit[] {
    return this.#content().misfits();
  }

  get body(): string {
    return (this.#text ??= this.#answer.body.toString());
  }

  get servedAt(): string | null {
    return servedAt(this.#answer.headers);
  }

  /** Reads the answer: returns its content, or the error that it describes. */
  read(): Reading<T> {
    return (this.#reading ??= this.#route.read(this, this.#answer));
  }

  #content(): Content<T> {
    const reading = this.read();
    if (reading instanceof ApiError) throw reading;
    return reading;
  }
}

/**
 * The getters of the class as own properties, so that a response can be spread and printed. All responses share them.
 * If each response had other getters, it would survive until the next full garbage collection.
 */
const OWN_GETTERS: PropertyDescriptorMap = {};
for (const name of ['data', 'misfits', 'body', 'servedAt'] as const)
  OWN_GETTERS[name] = { ...Object.getOwnPropertyDescriptor(LazyResponse.prototype, name), enumerable: true };
