import { z } from 'zod';

import { reshape } from './empty-shapes.js';

/** A value that does not have its documented type. */
export interface Misfit {
  /** Place in the answer, for example `['data', 3, 'name']`. */
  path: (string | number)[];
  /** What is wrong, for example `Invalid input: expected string, received number`. */
  problem: string;
  /** The value as received. */
  value: unknown;
}

/**
 * Result of a lenient reading: the value without the parts of a wrong type. `fits` is false if the value is unusable
 * without these parts. `misfits` lists what was removed.
 */
export type LenientReading<T> = { misfits: Misfit[] } & ({ fits: true; value: T } | { fits: false });

type Path = Misfit['path'];
type Read = { fits: true; value: unknown } | { fits: false };

const NONE: Read = { fits: false };

/**
 * Reads a value and removes the parts that do not have their documented type. So one wrong field does not make the
 * whole answer unusable. Keeps unknown fields.
 *
 * - A wrong optional field is removed from its object.
 * - A wrong object in a list becomes null if the list may contain null. Otherwise, it is removed from the list.
 * - A list of texts or numbers with a wrong item is wrong as a whole.
 * - An object without a required field is wrong as a whole.
 * - An empty value in another shape (`[]` for `{}`) is no wrong value; see empty-shapes.ts.
 */
export function readLeniently<T>(schema: z.ZodType<T>, value: unknown): LenientReading<T> {
  const misfits: Misfit[] = [];
  const read = readValue(schema, reshape(schema, value), [], misfits);
  return read.fits ? { fits: true, value: read.value as T, misfits } : { fits: false, misfits };
}

function readValue(schema: z.core.$ZodType, value: unknown, path: Path, misfits: Misfit[]): Read {
  if ((value === undefined || value === null) && accepts(schema, value)) return readPlain(schema, value, path, misfits);
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject && isObject(value)) return readObject(inner, value, path, misfits);
  if (inner instanceof z.ZodRecord && isObject(value)) return readRecord(inner, value, path, misfits);
  if (inner instanceof z.ZodArray && Array.isArray(value) && isContainer(unwrap(inner.element)))
    return readList(inner.element, value, path, misfits);
  return readPlain(inner, value, path, misfits);
}

function readPlain(schema: z.core.$ZodType, value: unknown, path: Path, misfits: Misfit[]): Read {
  const checked = z.safeParse(schema, value);
  if (checked.success) return { fits: true, value: checked.data };
  const [issue] = checked.error.issues;
  misfits.push({ path, problem: issue?.message ?? 'does not fit', value });
  return NONE;
}

function readObject(schema: z.ZodObject, value: object, path: Path, misfits: Misfit[]): Read {
  const copy: Record<string, unknown> = { ...value };
  for (const [key, field] of Object.entries(schema.shape)) {
    const isKnown = Object.hasOwn(copy, key);
    const read = readValue(field, isKnown ? copy[key] : undefined, [...path, key], misfits);
    if (read.fits && (isKnown || read.value !== undefined)) copy[key] = read.value;
    if (read.fits) continue;
    if (!accepts(field, undefined)) return NONE;
    delete copy[key];
  }
  return { fits: true, value: copy };
}

function readRecord(schema: z.ZodRecord, value: object, path: Path, misfits: Misfit[]): Read {
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const place = [...path, key];
    if (!readPlain(schema.keyType, key, place, []).fits) {
      misfits.push({ path: place, problem: 'unexpected name', value: member });
      return [];
    }
    const read = readValue(schema.valueType, member, place, misfits);
    return read.fits ? [[key, read.value]] : [];
  });
  return { fits: true, value: Object.fromEntries(kept) };
}

function readList(element: z.core.$ZodType, items: readonly unknown[], path: Path, misfits: Misfit[]): Read {
  const mayBeNull = accepts(element, null);
  const value = items.flatMap((item, index) => {
    const read = readValue(element, item, [...path, index], misfits);
    if (read.fits) return [read.value];
    return mayBeNull ? [null] : [];
  });
  return { fits: true, value };
}

/** Removes the wrappers that allow null, missing or wrong values, and returns the schema inside them. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodCatch;
  return isWrapped ? unwrap(schema.def.innerType) : schema;
}

function isContainer(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord || schema instanceof z.ZodArray;
}

function accepts(schema: z.core.$ZodType, value: null | undefined): boolean {
  return z.safeParse(withoutCatch(schema), value).success;
}

function withoutCatch(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodCatch ? schema.def.innerType : schema;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
