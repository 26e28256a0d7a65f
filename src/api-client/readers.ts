import type { z } from 'zod';

import type { Screen } from './connector-screen.js';
import type { Assumed, Unchecked } from './options.js';
import type { Reader } from './read-answer.js';

/**
 * Reads a listing, or another answer on which the crawl depends. The call fails if the answer does not fit the schema.
 */
export function page<T>(schema: z.ZodType<T>): Reader<T> {
  return { kind: 'page', schema };
}

/** Reads a record: any JSON object. The type parameter is the record's documented shape: `record<Company>()`. */
export function record<T>(): Reader<Unchecked<T>> {
  return { kind: 'record' };
}

/** Reads an undocumented answer: any JSON. */
export function opaque(): Reader<unknown> {
  return { kind: 'opaque' };
}

/** Reads an undocumented answer: any JSON. Applies the assumed shape if the answer fits. */
export function assumed<T>(schema: z.ZodType<T>): Reader<Assumed<T>> {
  return {
    kind: 'opaque',
    view: (json) => {
      const { success, data } = schema.safeParse(json);
      return success ? { fits: true, value: data } : { fits: false, value: json };
    },
  };
}

/** Reads a page made for people, or a redirect. */
export function screen(): Reader<Screen> {
  return { kind: 'screen' };
}

/** Reads an undocumented answer that may be empty. An empty answer gives null. */
export function maybe(): Reader<unknown> {
  return { kind: 'maybe' };
}
