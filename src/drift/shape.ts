import { z } from 'zod';

/** Types as JSON tells them apart; every value may be null besides. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** What a value may be: the part of a schema that drift is measured against. */
export interface Shape {
  types: ReadonlySet<JsonType>;
  /** The schema does not say what is inside: nothing there can drift. */
  open: boolean;
  /** Members of an object by name. */
  fields?: ReadonlyMap<string, Shape>;
  /** Items of an array. */
  items?: Shape;
  /** Members of an object whose names are data. */
  values?: Shape;
}

/** The shape a zod schema declares. Read through JSON Schema, which is public, and not through zod's own inside. */
export function shapeOf(schema: z.ZodType): Shape {
  return fromJsonSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

function fromJsonSchema(schema: z.core.JSONSchema._JSONSchema): Shape {
  if (typeof schema === 'boolean') return { types: new Set(), open: true };
  const { anyOf, properties, items, additionalProperties } = schema;
  if (anyOf) return anyOf.map(fromJsonSchema).reduce(merge);
  const types = new Set([schema.type ?? []].flat().flatMap(typeNamed));
  const shape: Shape = { types, open: schema.type === undefined };
  if (items !== undefined && !Array.isArray(items)) shape.items = fromJsonSchema(items);
  if (properties) shape.fields = new Map(Object.entries(properties).map(([key, of]) => [key, fromJsonSchema(of)]));
  else if (typeof additionalProperties === 'object') shape.values = fromJsonSchema(additionalProperties);
  return shape;
}

function typeNamed(name: string): JsonType[] {
  if (name === 'integer') return ['number'];
  return name === 'null' ? [] : [name as JsonType];
}

/** What may be either of two. */
function merge(a: Shape, b: Shape): Shape {
  return { ...a, ...b, types: new Set([...a.types, ...b.types]), open: a.open || b.open };
}
