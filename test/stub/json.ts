/** A number written with its exact digits, whatever a double can hold. */
export class Digits {
  constructor(readonly text: string) {}
}

export interface JsonStyle {
  /** Adds line breaks and indents. */
  pretty?: boolean;
  /** Writes the keys of each object in reverse order. */
  reversed?: boolean;
}

/** JSON text of plain objects, arrays, strings, numbers, booleans, null and `Digits`. Undefined members are omitted. */
export function writeJson(value: unknown, style: JsonStyle = {}, indent = ''): string {
  if (value instanceof Digits) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = style.pretty ? `${indent}  ` : '';
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((item) => writeJson(item, style, inner))
    : membersOf(value, style).map(
        ([key, item]) => `${JSON.stringify(key)}:${style.pretty ? ' ' : ''}${writeJson(item, style, inner)}`,
      );
  if (parts.length === 0 || !style.pretty) return `${open}${parts.join(',')}${close}`;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function membersOf(value: object, { reversed }: JsonStyle): [string, unknown][] {
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return reversed ? members.toReversed() : members;
}
