import type { z } from 'zod';

import type { Screen } from './connector-screen.js';
import type { Assumed } from './options.js';

/** Describes a route of the API: how to read its answers, and when to retry a request. */
export interface Route<T> {
  /** `METHOD /path/{id}`. */
  endpoint: string;
  /**
   * - page: JSON that fits `schema`.
   * - record: any JSON object, or an empty value in another shape (`[]`). Values that do not fit `schema` are removed.
   * - opaque: any JSON, converted by `view`.
   * - maybe: any JSON, or an empty body.
   * - screen: any text, or a redirect (see `Screen`).
   */
  kind: 'page' | 'record' | 'opaque' | 'maybe' | 'screen';
  schema?: z.ZodType<T>;
  view?: (json: unknown) => T;
  /** Whether to parse an answer that looks whole only when its `data` is read. */
  isLazy?: boolean;
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
  return { endpoint, kind: 'page', schema, repeat: 'always' };
}

/** A route with a record: any JSON object. Fields that do not fit the schema are removed from `data`. */
export function record<T>(endpoint: string, schema: z.ZodType<T>): Route<T> {
  return { endpoint, kind: 'record', schema, repeat: 'always' };
}

/** As `record`, for records that the crawl lands without reading them. They must not describe people. */
export function landed<T>(endpoint: string, schema: z.ZodType<T>): Route<T> {
  return { ...record(endpoint, schema), isLazy: true };
}

/** A route with an undocumented answer: any JSON. */
export function opaque(endpoint: string, repeat: Repeat = 'always'): Route<unknown> {
  return { endpoint, kind: 'opaque', repeat };
}

/**
 * A route with an undocumented answer and an assumed shape. Accepts any JSON; `fits` says whether the answer has the
 * assumed shape.
 */
export function assumed<T>(endpoint: string, schema: z.ZodType<T>): Route<Assumed<T>> {
  const view = (json: unknown): Assumed<T> => {
    const { success, data } = schema.safeParse(json);
    return success ? { fits: true, value: data } : { fits: false, value: json };
  };
  return { endpoint, kind: 'opaque', view, repeat: 'always' };
}

/** A route with a page made for people, or with a redirect. */
export function screen(endpoint: string, repeat: Repeat = 'always'): Route<Screen> {
  return { endpoint, kind: 'screen', repeat };
}

/** A route with an undocumented answer that may be empty. An empty answer gives null. */
export function maybe(endpoint: string): Route<unknown> {
  return { endpoint, kind: 'maybe', repeat: 'always' };
}
