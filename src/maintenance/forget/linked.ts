import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE } from '../../../schemas/streams/people.js';
import { readJsonNodes, type JsonNode } from '../../base/json/json-nodes.js';
import { isCompany } from '../../privacy/owner-words.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import type { LandedPart } from '../../landing/index.js';
import type { Forgotten, PeopleRow, Subject } from '../../privacy/forgotten.js';
import { findPeople, type FoundPerson } from '../../privacy/people.js';

/** Streams whose entity_id is a company, besides the streams about people. */
const OF_COMPANIES: readonly LandingStream[] = ['companies', 'companies_v1', 'financials', 'financials_v1'];

/**
 * Finds the people of forgotten companies. An answer about a person often names no company: only a listing, a list of
 * owners or a record in another stream says to which company the person belongs. So a removal first collects the ids of
 * these people, and then forgets each of them as a person.
 */
export class LinkedPeople {
  readonly #ids = new Set<string>();

  /** @param companies ids of known companies. An owner with such an id is a company and not a person. */
  constructor(
    private readonly forgotten: Forgotten,
    private readonly companies: ReadonlySet<string>,
  ) {}

  /** Notes the people that a landed row links to a forgotten company. */
  note(stream: LandingStream, row: PeopleRow): void {
    const spec = PEOPLE[stream];
    if (spec === undefined || spec.people.length === 0) return;
    const ofCompany = spec.entity === 'company' && this.forgotten.has('company', row.entity_id);
    if (!ofCompany && !row.body.includes('"company_id"')) return;
    for (const person of peopleIn(row.body, stream)) {
      if (person.kind !== 'person' || !(ofCompany || this.forgotten.has('company', person.company))) continue;
      if (spec.entity === 'person') this.#add(row.entity_id);
      if (!isOwner(stream) || !this.#isCompany(person)) this.#add(person.id);
    }
  }

  /** Returns the people to forget. */
  subjects(): Subject[] {
    return [...this.#ids].map((id) => ({ kind: 'person', id }));
  }

  #add(id: string | null): void {
    if (id !== null && /^\d{1,19}$/.test(id)) this.#ids.add(id);
  }

  #isCompany({ node, id }: FoundPerson): boolean {
    if (id !== null && this.companies.has(id)) return true;
    if (node.kind !== 'object') return false;
    return [...node.members].some(([key, value]) => isCompany(key, textOf(value)) === true);
  }
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

/** Returns the ids of the companies that landed answers are about. */
export async function readCompanyIds(db: Database, parts: readonly LandedPart[]): Promise<Set<string>> {
  const about = parts.filter(({ stream }) => OF_COMPANIES.includes(stream) || PEOPLE[stream]?.entity === 'company');
  if (about.length === 0) return new Set();
  const files = about.map(({ file }) => quote(file)).join(', ');
  const rows = await db.rows<{ id: string }>(
    `SELECT DISTINCT entity_id AS id FROM read_parquet([${files}], hive_partitioning = false) WHERE entity_id IS NOT NULL`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether the answers of a stream list owners, which may be people or companies. */
function isOwner(stream: LandingStream): boolean {
  return stream === 'ownership' || stream === 'ownership_jobs';
}

function textOf(node: JsonNode): string {
  return node.kind === 'string' ? node.value : node.text;
}
