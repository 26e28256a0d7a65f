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

/** Counts of a page, which some APIs write as text. */
const COUNTS: ReadonlySet<string> = new Set(['total_employees', 'total_pages', 'pages']);

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
    return value.kind === 'number' || isCount(name, value) ? [`${JSON.stringify(name)}:${value.text}`] : [];
  });
  return `{${members.join(',')}}`;
}

/** Removes what identifies a person from the person's record, as pageWithoutPersonalData does from each item. */
export function recordWithoutPersonalData(body: string): string {
  return harmless(readJsonNodes(body));
}

function isCount(name: string, value: JsonNode): boolean {
  return COUNTS.has(name) && value.kind === 'string' && /^[0-9]{1,16}$/.test(value.value);
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
