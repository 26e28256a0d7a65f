import { itemsOf, readJsonNodes, type JsonNode } from '../base/json/json-nodes.js';

/** Fields of a person's record that describe the job, not the person. All other fields are removed. */
export const JOB_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'company_id',
  'company_name',
  'company_executive_seniority_level',
  'company_executive_function',
  'seniority_level',
  'department',
  'function_original_name',
  'nationality',
]);

/** Names of the counts in a page. They are kept even if the API writes them as text. */
const COUNTS: ReadonlySet<string> = new Set(['total_employees', 'total_pages', 'pages']);

/**
 * Removes from a page of people what identifies them, before the page is landed. Of each person, keeps only the fields
 * in JOB_FIELDS whose value is a text, number, boolean or null, or a list of these. Of the page itself, keeps numbers and
 * counts. Numbers keep their text, so that long ids are not rounded.
 * @param list name of the page's array of people
 * @returns a body with the same number of items; an item that is not an object becomes null. `{}` if the page is no
 * object.
 */
export function pageWithoutPersonalData(body: string, list: string): string {
  const page = readJsonNodes(body);
  if (page.kind !== 'object') return '{}';
  const members = [...page.members].flatMap(([name, value]) => {
    const items = name === list ? itemsOf(value) : null;
    if (items !== null) return [`${JSON.stringify(name)}:[${items.map(harmless).join(',')}]`];
    return value.kind === 'number' || isCount(name, value) ? [`${JSON.stringify(name)}:${value.text}`] : [];
  });
  return `{${members.join(',')}}`;
}

/** Removes what identifies the person from a person's record. Works like pageWithoutPersonalData. */
export function recordWithoutPersonalData(body: string): string {
  return harmless(readJsonNodes(body));
}

function isCount(name: string, value: JsonNode): boolean {
  return COUNTS.has(name) && value.kind === 'string' && /^[0-9]{1,16}$/.test(value.value);
}

function harmless(person: JsonNode): string {
  if (person.kind !== 'object') return 'null';
  const kept = [...person.members].filter(([name, value]) => JOB_FIELDS.has(name) && isPlain(value));
  return `{${kept.map(([name, value]) => `${JSON.stringify(name)}:${value.text}`).join(',')}}`;
}

function isPlain(value: JsonNode): boolean {
  const isSingle = ({ kind }: JsonNode): boolean => kind !== 'object' && kind !== 'array';
  return isSingle(value) || (itemsOf(value)?.every(isSingle) ?? false);
}
