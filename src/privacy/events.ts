import { ExcessError } from '../base/json/json-bounds.js';
import { itemsOf, readJsonNodes, type JsonNode } from '../base/json/json-nodes.js';
import { canonical, type Fingerprint } from './fingerprint.js';
import { plainText, textless, writeObject, type Member } from '../base/json/write-json.js';
import { formatCount } from '../../schemas/format.js';

/*
 * The message and the values of a watch event may name people. Without `personalData: contacts`, only these parts of
 * such an event are landed:
 * - the company, the field, the status and the time
 * - REMOVED_FIELD: a fingerprint of the removed content. With it, two different events of the same second stay two
 *   events, and a repeated event stays one.
 */

/** Field of a landed event or delivery. It holds the fingerprint of the removed content. */
export const REMOVED_FIELD = 'tidemark_removed';

// Watch fields about the company itself. All other fields may be about people: `employee.*`, `officer.*`,
// `shareholder.*`, and fields that the reference does not list. sql/macros/watch.sql has the same rule.
const ABOUT_COMPANY = /^((company|office|address)[._].*|financial|vat_number)$/;

const COMPANY_DATA: ReadonlySet<string> = new Set(['id', 'name', 'registration_number', 'country_code', 'date']);

/** Whether events of a field may be about people. */
export function isAboutPeople(field: string): boolean {
  return !ABOUT_COMPANY.test(field.trim());
}

/** Facts about an event. They decide whether its content is removed. */
export interface EventFacts {
  aboutPeople: boolean;
  /** Fingerprint of the event's content. It tells apart events with the same company, field and time. */
  hash: string;
  /** The whole event as JSON text. */
  text: string;
}

/** Removes the content of events about people from a page of events (reference v2, "Company event item"). */
export function eventsWithoutPeople(body: string, fingerprint: Fingerprint): string {
  return reduceEvents(body, fingerprint, ({ aboutPeople }) => aboutPeople);
}

/** Removes the content of a webhook delivery if it is about people (reference v2, "Webhook delivery"). */
export function deliveryWithoutPeople(body: string, fingerprint: Fingerprint): string {
  return reduceDelivery(body, fingerprint, ({ aboutPeople }) => aboutPeople);
}

/**
 * Removes the content of some events of a page.
 * @param wanted returns true if the content of the event must be removed
 * @returns the same text when there is nothing to remove; `{}` for a body that is no object
 */
export function reduceEvents(body: string, fingerprint: Fingerprint, wanted: (event: EventFacts) => boolean): string {
  const page = readJsonNodes(body);
  if (page.kind !== 'object') return '{}';
  const members = [...page.members].map(([name, value]): Member => {
    const items = name === 'data' ? itemsOf(value) : null;
    if (items === null) return [name, isCount(name, value) ? value.text : textless(value)];
    return [name, `[${items.map((item) => reduceItem(item, fingerprint, wanted)).join(',')}]`];
  });
  const isSame = members.every(([name, text]) => isUnchanged(page.members.get(name), text));
  return isSame ? body : writeObject(members, page.repeats);
}

/** Whether a member of a page is a count that the API writes as text. */
function isCount(name: string, value: JsonNode): boolean {
  return ['pages', 'total_results'].includes(name) && value.kind === 'string' && /^[0-9]{1,16}$/.test(value.value);
}

function isUnchanged(node: JsonNode | undefined, text: string): boolean {
  if (node?.kind === 'array') return `[${node.items.map((item) => item.text).join(',')}]` === text;
  return node?.text === text;
}

function reduceItem(item: JsonNode, fingerprint: Fingerprint, wanted: (event: EventFacts) => boolean): string {
  if (item.kind !== 'object') return 'null';
  const content = pick(item, (name) => ['message', 'old_value', 'new_value'].includes(name));
  const hash = hashOf(item, content, fingerprint);
  const aboutPeople = item.repeats || !isField(item.members.get('event_type'));
  if (!wanted({ aboutPeople, hash, text: item.text })) return item.text;
  const kept = pick(item, (name) => ['status', 'event_type', 'date_created'].includes(name));
  return writeReduced(item, [kept, content], hash);
}

/**
 * Removes the content of the event in a webhook delivery.
 * @param wanted returns true if the content of the event must be removed
 * @returns the same text when there is nothing to remove. If the body is no JSON, or exceeds a bound, a sentence that
 *   says so replaces it.
 * The load then makes a reject, because the sentence is no JSON either.
 */
export function reduceDelivery(body: string, fingerprint: Fingerprint, wanted: (event: EventFacts) => boolean): string {
  let delivery: JsonNode;
  try {
    delivery = readJsonNodes(body);
  } catch (error) {
    const why = error instanceof ExcessError ? error.message : 'is no JSON';
    return `A delivery of ${formatCount(Buffer.byteLength(body))} bytes that ${why}. Its text was not kept (fingerprint ${fingerprint(body)}).`;
  }
  if (delivery.kind !== 'object') return textless(delivery);
  const content = pick(delivery, (name) => !['field', 'status', 'company_data', REMOVED_FIELD].includes(name));
  const hash = hashOf(delivery, content, fingerprint);
  const aboutPeople = delivery.repeats || !isField(delivery.members.get('field'));
  if (!wanted({ aboutPeople, hash, text: delivery.text })) return body;
  const kept = pick(delivery, (name) => name === 'field' || name === 'status');
  const company = delivery.members.get('company_data');
  const about: Member[] = company === undefined ? [] : [['company_data', companyData(company)]];
  const values = content.filter(([name]) => name === 'old_value' || name === 'new_value');
  return writeReduced(delivery, [kept, values], hash, about);
}

/**
 * Writes an event without its content: the fields in `kept`, the fields in `removed` with the value null, and the
 * fingerprint.
 */
function writeReduced(
  source: JsonNode & { kind: 'object' },
  [kept, removed]: readonly [readonly Named[], readonly Named[]],
  hash: string,
  more: readonly Member[] = [],
): string {
  const members: Member[] = [
    ...more,
    ...kept.map(([name, value]): Member => [name, plainText(value)]),
    ...removed.map(([name]): Member => [name, 'null']),
    [REMOVED_FIELD, JSON.stringify(hash)],
  ];
  return writeObject(members, source.repeats);
}

type Named = readonly [name: string, value: JsonNode];

function pick(node: JsonNode & { kind: 'object' }, wanted: (name: string) => boolean): Named[] {
  return [...node.members].filter(([name]) => wanted(name));
}

/**
 * Returns the fingerprint of an event's content. If the content was removed before, returns the fingerprint that the
 * event has.
 */
function hashOf(node: JsonNode & { kind: 'object' }, content: readonly Named[], fingerprint: Fingerprint): string {
  const removed = node.members.get(REMOVED_FIELD);
  if (removed?.kind === 'string' && IS_HASH.test(removed.value)) return removed.value;
  return fingerprint(canonical({ ...node, members: new Map(content) }));
}

const IS_HASH = /^[0-9a-f]{8,64}$/;

function isField(field: JsonNode | undefined): boolean {
  return field?.kind === 'string' && !isAboutPeople(field.value);
}

function companyData(company: JsonNode): string {
  if (company.kind !== 'object') return textless(company);
  const members = pick(company, (name) => COMPANY_DATA.has(name));
  return writeObject(
    members.map(([name, value]): Member => [name, plainText(value)]),
    company.repeats,
  );
}
