import type { Misfit } from '../../schemas/v2/read-leniently.js';
import { isFromCache } from '../base/network/from-cache.js';
import { ApiError } from './errors.js';
import type { AnswerTimes, ApiResponse, CallFacts } from './options.js';
import type { Content, Reading } from './read-answer.js';
import type { Route } from './route.js';
import { headerOf, servedAt, type Answer } from './transport.js';

/** An answer whose `data`, `misfits`, `body` and `times` are computed only when they are read. */
export class LazyResponse<T> implements ApiResponse<T> {
  readonly endpoint: string;
  readonly requestKey: string;
  readonly status: number;
  readonly fetchedAt: string;
  readonly attempts: number;
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
    this.#route = route;
    this.#answer = answer;
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

  get times(): AnswerTimes {
    const { headers, sentAt, receivedAt } = this.#answer;
    const cached = isFromCache((name) => headerOf(headers, name));
    return { servedAt: servedAt(headers), cached, sentAt: new Date(sentAt), receivedAt: new Date(receivedAt) };
  }

  bytes(): Buffer {
    return this.#answer.body;
  }

  /** Adds what the class computes. As own properties, getters would cost 2 µs a response. */
  toJSON(): object {
    const { data, misfits, body, times } = this;
    return Object.assign({ data, misfits, body, times }, this);
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
