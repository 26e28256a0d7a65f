import { readJsonNodes, type JsonNode } from '../../core/json-nodes.js';

/** Fields of a person that describe the job and not the person. Every other field is left out. */
const HARMLESS: ReadonlySet<string> = new Set([
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

/**
 * Removes what identifies people from a page of people, before the page is landed. Keeps only the fields in HARMLESS,
 * and only if their value is plain or a list of plain values. Numbers keep their text, so that long ids are not
 * rounded.
 * @param list name of the page's array of people
 * @returns a body with the same number of items; an item that is no object becomes null
 */
export function pageWithoutPersonalData(body: string, list: string): string {
  const page = readJsonNodes(body);
  if (page.kind !== 'object') return '{}';
  const members = [...page.members].flatMap(([name, value]) => {
    if (name === list && value.kind === 'array')
      return [`${JSON.stringify(name)}:[${value.items.map(harmless).join(',')}]`];
    return value.kind === 'number' ? [`${JSON.stringify(name)}:${value.text}`] : [];
  });
  return `{${members.join(',')}}`;
}

function harmless(person: JsonNode): string {
  if (person.kind !== 'object') return 'null';
  const kept = [...person.members].filter(([name, value]) => HARMLESS.has(name) && isPlain(value));
  return `{${kept.map(([name, value]) => `${JSON.stringify(name)}:${value.text}`).join(',')}}`;
}

function isPlain(value: JsonNode): boolean {
  if (value.kind === 'array') return value.items.every((item) => item.kind !== 'object' && item.kind !== 'array');
  return value.kind !== 'object';
}
