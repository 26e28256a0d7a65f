import type { z } from 'zod';

import type { Screen } from './connector-screen.js';
import type { Assumed } from './options.js';
import type { Reader } from './read-answer.js';

/**
 * Creates a reader for a listing, or for another answer on which the crawl depends. The call fails if the answer does
 * not fit the schema.
 */
export function page<T>(schema: z.ZodType<T>): Reader<T> {
  return { kind: 'page', schema };
}

/** Creates a reader for a record: any JSON object. Fields that do not fit the schema are removed from `data`. */
export function record<T>(schema: z.ZodType<T>): Reader<T> {
  return { kind: 'record', schema };
}

/** Reads an undocumented answer: any JSON. */
export function opaque(): Reader<unknown> {
  return { kind: 'opaque' };
}

/**
 * Creates a reader for an undocumented answer with an assumed shape. Accepts any JSON; `fits` says whether the answer
 * has the assumed shape.
 */
export function assumed<T>(schema: z.ZodType<T>): Reader<Assumed<T>> {
  return {
    kind: 'opaque',
    view: (json) => {
      const { success, data } = schema.safeParse(json);
      return success ? { fits: true, value: data } : { fits: false, value: json };
    },
  };
}

/** Creates a reader for a page made for people, or for a redirect. */
export function screen(): Reader<Screen> {
  return { kind: 'screen' };
}

/** Creates a reader for an undocumented answer that may be empty. An empty answer gives null. */
export function maybe(): Reader<unknown> {
  return { kind: 'maybe' };
}
