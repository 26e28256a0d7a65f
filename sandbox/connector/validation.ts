import type { z } from 'zod';
import type { ValidationItem } from '../../schemas/connector/error.js';
import { Refusal } from '../http/errors.js';

/**
 * Checks a part of a request against its schema.
 *
 * @throws Refusal with the connector's validation error (422, `{detail: [{loc, msg, type}]}`)
 */
export function demandPart<T extends z.ZodType>(schema: T, part: 'body' | 'query', value: unknown): z.infer<T> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const detail = result.error.issues.map((issue): ValidationItem => {
    const loc = [part, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    if (issue.code === 'invalid_type' && lookUp(value, issue.path) === undefined) {
      return { loc, msg: 'Field required', type: 'missing' };
    }
    const type = issue.code === 'invalid_type' ? `${issue.expected}_type` : 'value_error';
    return { loc, msg: issue.message, type };
  });
  throw new Refusal(422, { detail });
}

function lookUp(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );
}
