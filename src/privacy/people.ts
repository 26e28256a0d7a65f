import type { PeopleOfStream } from '../../schemas/streams/people.js';
import type { JsonNode } from '../base/json/json-nodes.js';
import { writeObject, type Member } from '../base/json/write-json.js';

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

/** Lists the people that a body names, as the register of its stream tells. A body may itself be a person. */
export function findPeople(body: JsonNode, { people }: PeopleOfStream): FoundPerson[] {
  const found: FoundPerson[] = [];
  for (const { path, id = 'id', kind = 'person' } of people) {
    visit(body, path, (node) => {
      if (node.kind !== 'object') return;
      found.push({ node, id: idOf(node.members.get(id)), kind, company: idOf(node.members.get('company_id')) });
    });
  }
  return found;
}

/**
 * Removes people from a body.
 * @param isGone returns true for a person to remove
 * @returns the text without these people; the same text if none was removed; null if the body itself is such a person
 */
export function removePeople(
  body: JsonNode,
  spec: PeopleOfStream,
  isGone: (person: FoundPerson) => boolean,
): string | null {
  const removed = new Set(findPeople(body, spec).flatMap((person) => (isGone(person) ? [person.node] : [])));
  if (removed.has(body)) return null;
  return removed.size === 0 ? body.text : without(body, removed);
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
function without(node: JsonNode, removed: ReadonlySet<JsonNode>): string {
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
