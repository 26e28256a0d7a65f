import type { z } from 'zod';

import type { Screen } from './connector-screen.js';
import type { Assumed, Unchecked } from './options.js';
import type { Reader } from './read-answer.js';

/** A listing or another control answer: it must fit the schema, else the call fails. */
export function page<T>(schema: z.ZodType<T>): Reader<T> {
  return { kind: 'page', schema };
}

/** A record: any JSON object. Type it by its documented shape: `record<Company>()`. */
export function record<T>(): Reader<Unchecked<T>> {
  return { kind: 'record' };
}

/** An answer the reference does not show: any JSON. */
export function opaque(): Reader<unknown> {
  return { kind: 'opaque' };
}

/** An answer the reference does not show: any JSON, read by an assumed shape where it has that shape. */
export function assumed<T>(schema: z.ZodType<T>): Reader<Assumed<T>> {
  return {
    kind: 'opaque',
    view: (json) => {
      const { success, data } = schema.safeParse(json);
      return success ? { fits: true, value: data } : { fits: false, value: json };
    },
  };
}

/** A page for people, or a redirect to one. */
export function screen(): Reader<Screen> {
  return { kind: 'screen' };
}

/** An answer the reference does not show, and that may be empty (then null). */
export function maybe(): Reader<unknown> {
  return { kind: 'maybe' };
}
