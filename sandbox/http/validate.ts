import type { z } from 'zod';

/** Validation messages by name of the field, as in the body of InvalidRequest. */
export type FieldMessages = Record<string, string[]>;

/**
 * Checks a part of a request against its schema. Lists each message under the name of the wrong field. In a path like
 * `filters.number_of_employees.gte`, this is the name after the container: `number_of_employees`.
 */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
): { ok: true; value: z.infer<T> } | { ok: false; fields: FieldMessages } {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  // Use an object without a prototype. Callers choose the field names, so `constructor` and `__proto__` are possible.
  const fields = Object.create(null) as FieldMessages;
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys' && isContainer(issue.path)) {
      for (const key of issue.keys) add(fields, key, 'Unknown field.');
      continue;
    }
    add(fields, fieldOf(issue.path), issue.message);
  }
  return { ok: false, fields };
}

const CONTAINERS = new Set(['filters', 'must']);

function isContainer(path: PropertyKey[]): boolean {
  return path.every((part) => typeof part === 'string' && CONTAINERS.has(part));
}

function fieldOf(path: PropertyKey[]): string {
  const field = path.find((part) => typeof part !== 'string' || !CONTAINERS.has(part)) ?? path.at(-1);
  return field === undefined ? 'body' : String(field);
}

function add(fields: FieldMessages, field: string, message: string): void {
  (fields[field] ??= []).push(message);
}

/**
 * Merges the parameters in a request's query and body. If both have a parameter, the body's value is used. The
 * reference lists some parameters of GET calls as body, but its samples send them in the query.
 *
 * Parameters named in `kinds` become numbers or lists: `a,b`, `x=a&x=b` and `x[]=a` are all lists. Text that is not a
 * number stays text, and the schema refuses it.
 */
export function readParameters(
  query: unknown,
  body: unknown,
  kinds: { numbers?: readonly string[]; lists?: readonly string[] },
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [rawKey, value] of Object.entries(query as Record<string, string | string[]>)) {
    const key = rawKey.replace(/\[\]$/, '');
    if (kinds.lists?.includes(key)) {
      out[key] = [value].flat().flatMap((part) => part.split(',').filter((item) => item !== ''));
    } else if (
      kinds.numbers?.includes(key) &&
      typeof value === 'string' &&
      /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)
    ) {
      out[key] = Number(value);
    } else {
      out[key] = value;
    }
  }
  if (body === undefined) return out;
  // A body that is no object is stored under the key `body`. No route has a parameter of this name, so the schema
  // refuses it.
  return isObject(body) ? { ...out, ...body } : { ...out, body };
}

/** Returns the body of a request. A missing body becomes {}. An explicit null stays null. */
export function bodyOf(request: { body: unknown }): unknown {
  return request.body === undefined ? {} : request.body;
}

/** Returns whether a value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
