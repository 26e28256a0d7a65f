import { fieldsOf, indicators, watchFields } from './reference.js';

/*
 * The types of the reference's data. A type is a primitive of the table below, the name of a record, `array of T`,
 * `object of T` (values of T under any key) or `A | B`. `T?` marks a field that may be absent.
 */

interface Primitive {
  holds: (value: unknown) => boolean;
  /** An example value of the type; `n` makes it distinct. */
  example: (n: number) => unknown;
  /** A value that every reader of the type must reject. */
  wrong: unknown;
}

const text = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const WATCH_FIELDS = [...watchFields.current, ...watchFields.earlier, ...watchFields.inSamples];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCompactDate = (value: unknown): boolean =>
  Number.isInteger(value) && /^\d{4}[01]\d[0-3]\d$/.test(String(value));

const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  any: { holds: (value) => value !== undefined, example: (n) => ({ anything: n }), wrong: undefined },
  null: { holds: (value) => value === null, example: () => null, wrong: undefined },
  string: { holds: (value) => typeof value === 'string', example: (n) => `text ${n}`, wrong: 5 },
  integer: { holds: Number.isInteger, example: (n) => n, wrong: 'x' },
  number: { holds: Number.isFinite, example: (n) => n, wrong: 'x' },
  boolean: { holds: (value) => typeof value === 'boolean', example: () => true, wrong: 'x' },
  array: { holds: Array.isArray, example: (n) => [`item ${n}`], wrong: 'x' },
  object: { holds: isObject, example: () => ({}), wrong: 'x' },
  date: { holds: text(/^\d{4}-\d\d-\d\d$/), example: () => '2026-11-20', wrong: 'yesterday' },
  datetime: {
    holds: text(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    example: () => '2026-11-20 10:00:00',
    wrong: 'yesterday',
  },
  timestamp: {
    holds: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    example: () => '2026-11-20T10:00:00Z',
    wrong: 5,
  },
  'local timestamp': {
    holds: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    example: () => '2026-11-20T10:00:00',
    wrong: 5,
  },
  yyyymmdd: { holds: isCompactDate, example: () => 20_261_120, wrong: 5 },
  html: { holds: text(/<(\w+)>.*<\/\1>/su), example: (n) => `<b>text ${n}</b>`, wrong: 5 },
  url: { holds: text(/^(https?:\/\/)?[\w.-]+\.\w+/), example: (n) => `https://site${n}.example/a`, wrong: 5 },
  letter: { holds: text(/^\p{L}$/u), example: () => 'F', wrong: 5 },
  'two letters': { holds: text(/^[A-Z]{2}$/), example: () => 'DK', wrong: 5 },
  'watch field': {
    holds: (value) => (WATCH_FIELDS as unknown[]).includes(value),
    example: (n) => WATCH_FIELDS[n % WATCH_FIELDS.length],
    wrong: 'no.such_field',
  },
  // The tests accept null, or a number as text, for every indicator, although the reference does not say so.
  'Financial year': { holds: isObject, example: exampleYear, wrong: 5 },
};

/** Kind of each indicator: string, integer or double. */
export const INDICATOR_KINDS = new Map(
  (['string', 'integer', 'double'] as const).flatMap((kind) => indicators[kind].map((name) => [name, kind] as const)),
);

function exampleYear(): Record<string, unknown> {
  const values = { string: 'text', integer: 20_251_231, double: -1234.56 };
  return Object.fromEntries([...INDICATOR_KINDS].map(([name, kind]) => [name, values[kind]]));
}

/** What a type is made of. */
type Shape =
  | { kind: 'primitive'; primitive: Primitive }
  | { kind: 'record'; name: string; fields: Record<string, string> }
  | { kind: 'array' | 'object'; of: string }
  | { kind: 'union'; of: string[] };

/** Parses a type; throws an Error if it is invalid. */
export function readType(type: string): Shape {
  const bare = type.replace(/\?$/, '').replace(/^\((.*)\)$/, '$1');
  const fields = fieldsOf(bare);
  if (fields !== undefined) return { kind: 'record', name: bare, fields };
  const list = /^(array|object) of (\(.*\)|[^|]*)$/.exec(bare);
  if (list) return { kind: list[1] as 'array' | 'object', of: list[2]! };
  const members = bare.split(/ \| (?![^(]*\))/);
  if (members.length > 1) return { kind: 'union', of: members };
  const primitive = PRIMITIVES[bare];
  if (primitive === undefined) throw new Error(`"${type}" is no type`);
  return { kind: 'primitive', primitive };
}

/**
 * A complete value of a type: every field of every record, two items in every list. `nulls` uses null wherever allowed.
 */
export function exampleOf(type: string, { nulls = false } = {}, n = 1): unknown {
  const shape = readType(type);
  switch (shape.kind) {
    case 'primitive':
      return shape.primitive.example(n);
    case 'record':
      return Object.fromEntries(
        Object.entries(shape.fields).map(([name, of], at) => [name, exampleOf(of, { nulls }, n * 100 + at)]),
      );
    case 'array':
      return [exampleOf(shape.of, { nulls }, n), exampleOf(shape.of, { nulls }, n + 1)];
    case 'object':
      return { '2025': exampleOf(shape.of, { nulls }, n) };
    case 'union':
      return nulls && shape.of.includes('null') ? null : exampleOf(shape.of[0]!, { nulls }, n);
  }
}

/** A value that is not of the type; undefined if every value fits. */
export function wrongOf(type: string): unknown {
  const shape = readType(type);
  switch (shape.kind) {
    case 'primitive':
      return shape.primitive.wrong;
    case 'record':
      return 'x';
    case 'array':
      return [wrongOf(shape.of)];
    case 'object':
      return 'x';
    case 'union':
      return wrongOf(shape.of[0]!);
  }
}

/** Whether a value is of a type; any object counts as a record. */
export function holds(type: string, value: unknown): boolean {
  const shape = readType(type);
  switch (shape.kind) {
    case 'primitive':
      return shape.primitive.holds(value);
    case 'record':
      return isObject(value);
    case 'array':
      return Array.isArray(value) && value.every((item) => holds(shape.of, item));
    case 'object':
      return isObject(value) && Object.values(value).every((item) => holds(shape.of, item));
    case 'union':
      return shape.of.some((member) => holds(member, value));
  }
}
