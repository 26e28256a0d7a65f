import type { z } from 'zod';

import { readScreen, type Screen } from './connector-screen.js';
import type { ApiErrorContext } from './errors.js';
import type { Assumed } from './options.js';
import { readAny, readAnswer, readPage, readRecord, type Origin, type ReadJson, type Reading } from './read-answer.js';

/** Describes a route of the API: how to read its answers, and when to retry a request. */
export interface Route<T> {
  /** `METHOD /path/{id}`. */
  endpoint: string;
  /** Reads a complete answer with any status: returns its content, or the error that it describes. */
  read: (context: ApiErrorContext, origin: Origin) => Reading<T>;
  /** Whether to parse an answer that looks whole only when its `data` is read. */
  isLazy?: boolean;
  /** Whether the answer is made for people. Then the client returns a redirect, and does not follow it. */
  isScreen?: boolean;
  /**
   * Says when a failed request may be sent again:
   * - always: after every retryable error.
   * - unsent: only if the API surely did not act (connection refused, rate limit). A second execution would cost money
   *   or create a second object.
   */
  repeat: 'always' | 'unsent';
}

type Repeat = Route<unknown>['repeat'];

/** A route with a listing, or with another answer on which the crawl depends. The call fails if the answer does not fit. */
export function page<T>(endpoint: string, schema: z.ZodType<T>): Route<T> {
  return json(endpoint, (body, context) => readPage(schema, body, context));
}

/**
 * A route with a record: any JSON object, or an empty value in another shape (`[]`). Fields that do not fit the schema
 * are removed from `data`.
 */
export function record<T>(endpoint: string, schema: z.ZodType<T>): Route<T> {
  return json(endpoint, (body, context) => readRecord(schema, body, context));
}

/** As `record`, for records that the crawl lands without reading them. They must not describe people. */
export function landed<T>(endpoint: string, schema: z.ZodType<T>): Route<T> {
  return { ...record(endpoint, schema), isLazy: true };
}

/** A route with an undocumented answer: any JSON. */
export function opaque(endpoint: string, repeat: Repeat = 'always'): Route<unknown> {
  return { ...json(endpoint, (body, context) => readAny(body, context)), repeat };
}

/** A route with an undocumented answer that may be empty. An empty answer gives null. */
export function maybe(endpoint: string): Route<unknown> {
  return json(endpoint, (body, context) => readAny(body, context), true);
}

/**
 * A route with an undocumented answer and an assumed shape. Accepts any JSON; `fits` says whether the answer has the
 * assumed shape.
 */
export function assumed<T>(endpoint: string, schema: z.ZodType<T>): Route<Assumed<T>> {
  const view = (body: unknown): Assumed<T> => {
    const { success, data } = schema.safeParse(body);
    return success ? { fits: true, value: data } : { fits: false, value: body };
  };
  return json(endpoint, (body, context) => readAny(body, context, view));
}

/** A route with a page made for people, or with a redirect. */
export function screen(endpoint: string, repeat: Repeat = 'always'): Route<Screen> {
  return { endpoint, read: readScreen, isScreen: true, repeat };
}

function json<T>(endpoint: string, read: ReadJson<T>, mayBeEmpty = false): Route<T> {
  return { endpoint, read: (context, origin) => readAnswer(read, context, origin, mayBeEmpty), repeat: 'always' };
}
