import { readJsonNodes, type JsonNode } from '../base/json/json-nodes.js';
import { COMPANY_TYPES, isCode, isCompany, isCountry, isDay, isIdentifier, isShare, kindOfKey } from './owner-words.js';
import { REMOVED_FIELD } from './events.js';

/*
 * Removes personal data from answers about owners. These answers may have any shape, and owners may be people. So this
 * file keeps only values that certainly identify nobody, and otherwise only the structure.
 */

/**
 * Field that marks a body from which personal data was removed. The SQL in sql/staging reads the field `answer` beside
 * this one.
 */

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

/**
 * Removes from an answer about owners what may identify people. Keeps:
 * - the structure
 * - under known keys: ids, shares, counts, flags, countries, states and days
 * - names and register numbers of items that are certainly companies
 *
 * An unknown key may be a name. So it is replaced, and only the structure of its value is kept. In arrays, null
 * replaces a removed value.
 * @param body a JSON text; any other text is removed completely
 * @returns `{"tidemark_removed":"personal data","answer":…}`. Running the function again on the result changes nothing.
 */
export function ownersWithoutPersonalData(body: string): string {
  return `{"${REMOVED_FIELD}":"personal data","answer":${reduce(unwrapped(parse(body)), '', true) ?? 'null'}}`;
}

function parse(body: string): JsonNode {
  try {
    return readJsonNodes(body);
  } catch {
    return { kind: 'null', text: 'null' };
  }
}

/**
 * Returns the answer inside a body that was already reduced. The caller reduces it again, because the API itself may
 * have written the mark.
 */
function unwrapped(node: JsonNode): JsonNode {
  const inner = node.kind === 'object' && node.members.has(REMOVED_FIELD) ? node.members.get('answer') : undefined;
  return inner === undefined ? node : unwrapped(inner);
}

/**
 * Returns the JSON text of a value after the removal; null when the whole value is removed.
 * @param known false inside the value of an unknown key
 */
function reduce(node: JsonNode, key: string, known: boolean): string | null {
  if (node.kind === 'object') return reduceObject(node, key, known);
  if (node.kind === 'array') return `[${node.items.map((item) => reduce(item, key, known) ?? 'null').join(',')}]`;
  return known && keeps(node, key) ? node.text : null;
}

function reduceObject(node: ObjectNode, key: string, known: boolean): string {
  const names = known && isCertainlyCompany(node, key);
  let unknown = 0;
  const members = [...node.members].flatMap(([name, value]) => {
    const kind = kindOfKey(name);
    const isKnown = known && kind !== null;
    const isName = names && kind === 'company-name' && value.kind === 'string';
    const text = isName ? value.text : reduce(value, name, isKnown);
    return text === null ? [] : [`${JSON.stringify(kind === null ? `_${++unknown}` : name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

function keeps(node: JsonNode, key: string): boolean {
  if (node.kind === 'null') return true;
  const kind = kindOfKey(key);
  const text = node.kind === 'string' ? node.value : node.text;
  switch (kind) {
    case 'flag':
      return node.kind === 'boolean' || /^(true|false|yes|no|0|1)$/i.test(text);
    case 'id':
      return node.kind !== 'boolean' && isIdentifier(text);
    case 'share':
    case 'count':
      return node.kind !== 'boolean' && isShare(text);
    case 'country':
      return node.kind === 'string' && isCountry(text);
    case 'code':
      return node.kind === 'boolean' || (node.kind === 'string' && isCode(text));
    case 'day':
      return node.kind === 'string' && isDay(text);
    default:
      return false;
  }
}

/**
 * Whether an item or its key says that the item is a company. If the item names both a person and a company, the result
 * is false.
 */
function isCertainlyCompany(node: ObjectNode, key: string): boolean {
  const verdicts = [...node.members].flatMap(([name, value]) => {
    const verdict = isCompany(name, value.kind === 'string' ? value.value : value.text);
    return verdict === null ? [] : [verdict];
  });
  return verdicts.length > 0 ? verdicts.every(Boolean) : COMPANY_TYPES.has(key.toLowerCase());
}
