import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE } from '../../../schemas/streams/people.js';
import { readJsonNodes, type JsonNode } from '../../base/json/json-nodes.js';
import { isCompany } from '../../privacy/owner-words.js';
import type { LandedPeople } from './landed-people.js';
import type { Forgotten, Subject } from '../../privacy/forgotten.js';
import { findPeople, type FoundPerson } from '../../privacy/people.js';

/**
 * Finds the people of forgotten companies. An answer about a person often names no company: only a listing, a list of
 * owners or a record in another stream says to which company the person belongs. So a removal first collects the ids of
 * these people, and then forgets each of them as a person.
 */
export async function findLinked(landed: LandedPeople, forgotten: Forgotten | undefined): Promise<Subject[]> {
  if (forgotten === undefined) return [];
  const companies = await landed.companyIds();
  const ids = new Set<string | null>();
  await landed.eachWithJobs((stream, row) => {
    const spec = PEOPLE[stream];
    if (spec === undefined || spec.people.length === 0) return;
    const ofCompany = spec.entity === 'company' && forgotten.has('company', row.entity_id);
    if (!ofCompany && !row.body.includes('"company_id"')) return;
    for (const person of peopleIn(row.body, stream)) {
      if (person.kind !== 'person' || !(ofCompany || forgotten.has('company', person.company))) continue;
      if (spec.entity === 'person') ids.add(row.entity_id);
      if (!isOwner(stream) || !isKnownCompany(person, companies)) ids.add(person.id);
    }
  });
  return [...ids].flatMap((id) => (id !== null && /^\d{1,19}$/.test(id) ? [{ kind: 'person', id }] : []));
}

/** @param companies ids of known companies. An owner with such an id is a company and not a person. */
function isKnownCompany({ node, id }: FoundPerson, companies: ReadonlySet<string>): boolean {
  if (id !== null && companies.has(id)) return true;
  if (node.kind !== 'object') return false;
  return [...node.members].some(([key, value]) => isCompany(key, textOf(value)) === true);
}

/** Lists the people in a landed body. Of a body that is cut off, lists the people before the cut. */
export function peopleIn(body: string, stream: LandingStream): FoundPerson[] {
  const spec = PEOPLE[stream];
  if (spec === undefined) return [];
  const json = readJsonOf(body) ?? readJsonOf(beforeCut(body));
  return json === undefined ? [] : findPeople(json, spec);
}

function readJsonOf(text: string): JsonNode | undefined {
  try {
    return readJsonNodes(text);
  } catch {
    return undefined;
  }
}

// A text, or a bracket outside of texts. The last text may be cut off.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]]/g;

/** Returns a JSON text up to the last bracket that closes, with the brackets closed that are open there. */
export function beforeCut(text: string): string {
  const open: string[] = [];
  let [end, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']');
    else if (token === open.at(-1)) {
      open.pop();
      [end, depth] = [index + 1, open.length];
    }
  }
  return text.slice(0, end) + open.slice(0, depth).toReversed().join('');
}

/** Whether the answers of a stream list owners, which may be people or companies. */
function isOwner(stream: LandingStream): boolean {
  return stream === 'ownership' || stream === 'ownership_jobs';
}

function textOf(node: JsonNode): string {
  return node.kind === 'string' ? node.value : node.text;
}
