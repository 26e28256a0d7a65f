import type { LandingStream } from './landing-streams.js';

/*
 * The register of streams about people. It tells where a body names people, so that `tidemark forget` and `retention`
 * can remove them. The register is plain data. To add a stream, add one entry to PEOPLE.
 */

/** Kinds of ids that `tidemark forget` accepts. */
export type SubjectKind = 'person' | 'company' | 'contact';

/** Describes where a body names people. */
interface PeopleInBody {
  /**
   * Path to the people. At its end, an array holds one person per item, and an object is one person. `*` stands for any
   * field, `**` for any place at any depth. With an empty path, the body itself is one person.
   */
  path: readonly string[];
  /** Field with the person's id. Default: `id`. */
  id?: string;
  /** Kind of the ids. Default: `person`. */
  kind?: 'person' | 'contact';
}

/** How a stream names people. */
export interface PeopleOfStream {
  people: readonly PeopleInBody[];
  /** What entity_id identifies. With `company`, all people in an answer belong to that company. */
  entity: 'company' | 'person' | 'other';
  /** For streams whose entity_id is a question as JSON: the fields of the question that name a person. */
  asks?: readonly string[];
  /** True for watch events: their texts name people without an id. */
  events?: true;
  /**
   * What `retention` does with an answer that is too old:
   * - drop: removes the whole answer, because it describes only people.
   * - reduce: removes the people and keeps the rest (`withoutPersonalData` of the stream's fetcher). Removes the whole
   *   answer if its question names a person.
   */
  expired: 'drop' | 'reduce';
}

/** One entry for each stream whose fetcher has `withoutPersonalData`, and for each whose questions may name people. */
export const PEOPLE: Readonly<Partial<Record<LandingStream, PeopleOfStream>>> = {
  executives: { people: [{ path: ['list'] }, { path: ['data'] }, { path: [] }], entity: 'company', expired: 'drop' },
  employees: { people: [{ path: ['data'] }], entity: 'company', expired: 'drop' },
  employee_details: { people: [{ path: [] }], entity: 'person', expired: 'drop' },
  enrichments: {
    people: [{ path: [] }, { path: ['data'] }],
    entity: 'other',
    asks: ['email', 'profile', 'first_name', 'last_name'],
    expired: 'drop',
  },
  matches: { people: [], entity: 'other', asks: ['email', 'person'], expired: 'reduce' },
  ownership: { people: [{ path: ['**'] }], entity: 'company', expired: 'reduce' },
  ownership_jobs: { people: [{ path: ['**'] }], entity: 'company', expired: 'reduce' },
  tender_details: { people: [{ path: ['contacts', '*'], kind: 'contact' }], entity: 'other', expired: 'reduce' },
  watch_events: { people: [], entity: 'company', events: true, expired: 'reduce' },
};

/** The streams about people. */
export const PEOPLE_STREAMS = Object.keys(PEOPLE) as LandingStream[];
