import { z } from 'zod';

/*
 * Encoders write the same empty value in different shapes. PHP writes an empty map as `[]`, a map without accounts as
 * `false` or `""`, and a list with gaps as a map (`{"0":…,"2":…}`). These shapes are read as the shape that the
 * reference shows. sql/macros/json.sql has the same rules.
 */

/** Whether a value has no content: null, false, an empty text or map, or a list of such values. */
export function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return /^[ \t\n\r]*$/.test(value);
  if (Array.isArray(value)) return value.every(isBlank);
  return value === null || value === false || (isMap(value) && Object.keys(value).length === 0);
}

/** Whether the keys of a map are those of a list with gaps: whole numbers. */
export function isListKeys(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

/**
 * Gives empty values and lists the shape that a schema expects. Changes nothing else, and returns the same value if
 * there is nothing to change. A value that the schema accepts as it is, such as null, stays.
 */
export function reshape(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = innermost(schema);
  if (inner instanceof z.ZodArray) {
    const items = Array.isArray(value) ? value : listIn(schema, value);
    return items === undefined ? value : mapped(items, (item) => reshape(inner.element, item));
  }
  if (!(inner instanceof z.ZodRecord || inner instanceof z.ZodObject)) return value;
  if (!isMap(value)) return isEmptyInOtherShape(schema, value) ? {} : value;
  if (inner instanceof z.ZodObject) return members(value, Object.keys(inner.shape), (key) => inner.shape[key]);
  if (Object.keys(value).join() === 'data' && isBlank(Object.values(value)[0])) return {};
  return members(value, Object.keys(value), () => inner.valueType);
}

function listIn(schema: z.core.$ZodType, value: unknown): unknown[] | undefined {
  if (isMap(value) && isListKeys(Object.keys(value))) return Object.values(value);
  return isEmptyInOtherShape(schema, value) ? [] : undefined;
}

/** Whether a value is empty, but in a shape that the schema does not accept. */
function isEmptyInOtherShape(schema: z.core.$ZodType, value: unknown): boolean {
  if (!isBlank(value)) return false;
  // A schema that replaces wrong values (`catch`) does not count as accepting them.
  return !z.safeParse(schema instanceof z.ZodCatch ? schema.def.innerType : schema, value).success;
}

function members(value: object, keys: string[], schemaOf: (key: string) => z.core.$ZodType | undefined): object {
  const all = value as Record<string, unknown>;
  const changed = keys.flatMap((key): [string, unknown][] => {
    const schema = schemaOf(key);
    const shaped = schema === undefined || !Object.hasOwn(all, key) ? all[key] : reshape(schema, all[key]);
    return Object.is(shaped, all[key]) ? [] : [[key, shaped]];
  });
  if (changed.length === 0) return value;
  return { ...all, ...Object.fromEntries(changed) };
}

function mapped(items: unknown[], shape: (item: unknown) => unknown): unknown[] {
  const shaped = items.map(shape);
  return shaped.every((item, i) => Object.is(item, items[i])) ? items : shaped;
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodCatch)
    return innermost(schema.def.innerType);
  return schema instanceof z.ZodPipe ? innermost(schema.def.in) : schema;
}
