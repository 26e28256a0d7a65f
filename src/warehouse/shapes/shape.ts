import { z } from 'zod';

/** The JSON types that a schema can declare. Null is not one of them, because every value may be null. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** What a schema declares about a value. An answer that differs from it is schema drift. */
export interface Shape {
  types: ReadonlySet<JsonType>;
  /** Whether the schema does not declare what the value contains. Then its content is not compared. */
  open: boolean;
  /** Fields of an object, by name. */
  fields?: ReadonlyMap<string, Shape>;
  /** Shape of the items of an array. */
  items?: Shape;
  /** For an object that is a map (such as years to reports): the shape of each value. */
  values?: Shape;
}

/** Converts a zod schema to a shape. Uses the public conversion to JSON Schema, and no internals of zod. */
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

/** Combines two shapes into the shape of a value that may have either of them. */
function merge(a: Shape, b: Shape): Shape {
  return { ...a, ...b, types: new Set([...a.types, ...b.types]), open: a.open || b.open };
}
