import { itemsOf, readJsonNodes, type JsonNode } from '../base/json/json-nodes.js';
import { emptied, isFieldName, plainText, textless, writeObject, type Member } from '../base/json/write-json.js';

/** Fields of a tender that the reference lists, except the contacts. They describe the tender and not people. */
const LISTED: ReadonlySet<string> = new Set([
  'description',
  'donors',
  'attachments',
  'type',
  'slug',
  'deadline_date',
  'title',
  'industries',
  'announced_date',
  'countries',
  'status',
  'logo',
]);

/**
 * Removes names, e-mail addresses and phone numbers from the details of a tender (reference v1, "Tender details"). A
 * contact keeps its `type`, and its `id` if the id is a number. A field that the reference does not list keeps its
 * name; it keeps its value only if the value is a number, true or false.
 * @returns the same text when there is nothing to remove; `{}` for a body that is no object
 */
export function tenderWithoutContacts(body: string): string {
  const tender = readJsonNodes(body);
  if (tender.kind !== 'object') return '{}';
  if ([...tender.members].every(([name, value]) => LISTED.has(name) || value.kind === 'null')) return body;
  const members = [...tender.members].flatMap(([name, value]): Member[] => {
    if (LISTED.has(name)) return [[name, value.text]];
    if (name === 'contacts') return [[name, contactsWithoutNames(value)]];
    return isFieldName(name) ? [[name, textless(value)]] : [];
  });
  return writeObject(members, tender.repeats);
}

function contactsWithoutNames(contacts: JsonNode): string {
  if (contacts.kind !== 'object') return emptied(contacts);
  const members = [...contacts.members].flatMap(([kind, list]): Member[] => {
    if (!isFieldName(kind)) return [];
    const items = itemsOf(list);
    return [[kind, items === null ? emptied(list) : `[${items.map(contactWithoutName).join(',')}]`]];
  });
  return writeObject(members, contacts.repeats);
}

function contactWithoutName(contact: JsonNode): string {
  if (contact.kind !== 'object') return 'null';
  const members = [...contact.members].flatMap(([name, value]): Member[] => {
    if (name === 'type') return [[name, plainText(value)]];
    return name === 'id' && isNumeric(value) ? [[name, value.text]] : [];
  });
  return writeObject(members, contact.repeats);
}

function isNumeric(node: JsonNode): boolean {
  return node.kind === 'number' || (node.kind === 'string' && /^\d{1,20}$/.test(node.value));
}
