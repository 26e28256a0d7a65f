import type { JsonNode } from './json-nodes.js';

/** A member of a JSON object: its name, and its value as JSON text. */
export type Member = readonly [name: string, text: string];

/**
 * Writes a JSON object. If a key occurs twice in the source object (`repeats`), writes the last member twice, because
 * the load must reject the result as it would reject the source.
 */
export function writeObject(members: readonly Member[], repeats: boolean): string {
  const texts = members.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const again = repeats ? (texts.at(-1) ?? '"repeated":null,"repeated":null') : undefined;
  return `{${(again === undefined ? texts : [...texts, again]).join(',')}}`;
}

/** Returns the JSON text of a plain value. Empties an array or object, so that the load still sees the wrong type. */
export function plainText(node: JsonNode): string {
  if (node.kind === 'object') return '{}';
  return node.kind === 'array' ? '[]' : node.text;
}

/** Whether a text can only be the name of a field. A text with spaces could be the name of a person. */
export function isFieldName(name: string): boolean {
  return /^[A-Za-z]\w{0,40}$/.test(name);
}

/** Returns a value of the same JSON type without content. */
export function emptied(node: JsonNode): string {
  return node.kind === 'number' ? '0' : textless(node);
}

/** Returns the JSON text of a number, true, false or null. Empties any other value, because it may name a person. */
export function textless(node: JsonNode): string {
  return node.kind === 'string' || node.kind === 'bad' ? '""' : plainText(node);
}
