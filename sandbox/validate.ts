import type { z } from 'zod';

/** A request part that does not fit: field name to its messages, as InvalidRequest shows them. */
export type FieldMessages = Record<string, string[]>;

/**
 * Checks a request part against its schema. A message is filed under the key the caller got wrong: of a path like
 * `filters.number_of_employees.gte` the key below the container, here `number_of_employees`.
 */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
): { ok: true; value: z.infer<T> } | { ok: false; fields: FieldMessages } {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  // No prototype: callers choose the keys, `constructor` and `__proto__` among them.
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
 * Parameters of a request wherever they were put: the reference lists some of GET calls as body while its samples send
 * them in the query. Named ones become numbers or lists (`a,b`, `x=a&x=b` and `x[]=a` alike); text that is no number
 * stays and fails the schema's check. What the body says wins.
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
  // What is no object is under a key that no route knows.
  return isObject(body) ? { ...out, ...body } : { ...out, body };
}

/** Body of a request; one that was left out stands for {}, an explicit null does not. */
export function bodyOf(request: { body: unknown }): unknown {
  return request.body === undefined ? {} : request.body;
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
