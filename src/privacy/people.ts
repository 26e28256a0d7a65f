import type { PeopleOfStream } from '../../schemas/pipeline/people.js';
import type { JsonNode } from '../core/json-nodes.js';
import { writeObject, type Member } from './write-json.js';

/**
 * A person found in a body. `node` is the JSON object. `id` is the person's id as text; null if the object has none.
 */
export interface FoundPerson {
  node: JsonNode;
  id: string | null;
  kind: 'person' | 'contact';
  /** The person's `company_id`; null if there is none. */
  company: string | null;
}

/**
 * Removes people from a body.
 * @param isGone returns true for a person to remove
 * @returns the text without these people; the same text if none was removed; null if the body itself is such a person
 */
export function removePeople(
  body: JsonNode,
  { people }: PeopleOfStream,
  isGone: (person: FoundPerson) => boolean,
): string | null {
  let gone = false;
  const changes = new Map<JsonNode, null>();
  for (const { path, id = 'id', kind = 'person' } of people) {
    visit(body, path, (node) => {
      if (node.kind !== 'object') return;
      const person = { node, id: idOf(node.members.get(id)), kind, company: idOf(node.members.get('company_id')) };
      if (!isGone(person)) return;
      if (node === body) gone = true;
      changes.set(node, null);
    });
  }
  if (gone) return null;
  return changes.size === 0 ? body.text : without(body, changes);
}

function visit(node: JsonNode, path: readonly string[], found: (node: JsonNode) => void): void {
  const [head, ...rest] = path;
  if (head === undefined) {
    if (node.kind === 'array') for (const item of node.items) found(item);
    else found(node);
  } else if (head === '*' || head === '**') {
    for (const child of childrenOf(node)) {
      if (head === '*') visit(child, rest, found);
      else {
        found(child);
        visit(child, path, found);
      }
    }
  } else if (node.kind === 'object') {
    const child = node.members.get(head);
    if (child !== undefined) visit(child, rest, found);
  }
}

function childrenOf(node: JsonNode): Iterable<JsonNode> {
  if (node.kind === 'object') return node.members.values();
  return node.kind === 'array' ? node.items : [];
}

/** Writes a JSON value without the removed objects. A removed array item is left out. A removed field becomes null. */
function without(node: JsonNode, removed: ReadonlyMap<JsonNode, null>): string {
  if (removed.has(node)) return 'null';
  if (node.kind === 'array') {
    return `[${node.items.flatMap((item) => (removed.has(item) ? [] : [without(item, removed)])).join(',')}]`;
  }
  if (node.kind !== 'object') return node.text;
  const members = [...node.members].map(([name, value]): Member => [name, without(value, removed)]);
  return writeObject(members, node.repeats);
}

/** Converts an id to text. The numbers 7 and 7.0 and the text "7" give the same id. */
export function idOf(node: JsonNode | undefined): string | null {
  if (node?.kind === 'string') return node.value.trim() || null;
  if (node?.kind !== 'number') return null;
  return /^-?\d+$/.test(node.text) ? node.text : String(Number(node.text));
}
