import type { JsonNode } from '../core/json-nodes.js';

/** Members of an object: the name and the JSON text of the value. */
export type Member = readonly [name: string, text: string];

/**
 * Writes an object. If the source object repeats a key, the result repeats a key, too: the load must reject it as it
 * rejects the source.
 */
export function writeObject(members: readonly Member[], repeats: boolean): string {
  const texts = members.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const again = repeats ? (texts.at(-1) ?? '"repeated":null,"repeated":null') : undefined;
  return `{${(again === undefined ? texts : [...texts, again]).join(',')}}`;
}

/** The text of a plain value. An array or object becomes empty, so that the load still sees the wrong type. */
export function plainText(node: JsonNode): string {
  if (node.kind === 'object') return '{}';
  return node.kind === 'array' ? '[]' : node.text;
}

/** Whether a name can only be the name of a field. A name with spaces could be the name of a person. */
export function isFieldName(name: string): boolean {
  return /^[A-Za-z]\w{0,40}$/.test(name);
}

/** A value of the same JSON type without content. */
export function emptied(node: JsonNode): string {
  return node.kind === 'number' ? '0' : textless(node);
}

/** The text of a number, true, false or null. A text becomes empty, and so does an array or object. */
export function textless(node: JsonNode): string {
  return node.kind === 'string' ? '""' : plainText(node);
}
