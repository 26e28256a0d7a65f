import type { LandingStream } from './landing.js';

/*
 * The register of streams about people: where a body names them, so that `tidemark forget` and `retention` can remove
 * them. Plain data. To add a stream, add one entry to PEOPLE.
 */

/** Kinds of ids that `tidemark forget` accepts. */
export type SubjectKind = 'person' | 'company' | 'contact';

/** People in a body. */
interface PeopleInBody {
  /**
   * Where they are. An array holds one person per item; an object is one person. `*` is any member, `**` any place at
   * any depth. An empty path: the body is one person.
   */
  path: readonly string[];
  /** Field with the person's id; default `id`. */
  id?: string;
  /** Numbering of the ids; default `person`. */
  kind?: 'person' | 'contact';
}

/** How a stream names people. */
export interface PeopleOfStream {
  people: readonly PeopleInBody[];
  /** What entity_id names. All people of a company's answer belong to the company. */
  entity: 'company' | 'person' | 'other';
  /** True for watch events: people are in the text, without an id. */
  events?: true;
  /**
   * What `retention` does with an old answer:
   * - drop: removes the answer, because it describes people only.
   * - reduce: removes the people and keeps the rest (`withoutPersonalData` of the stream's fetcher).
   */
  expired: 'drop' | 'reduce';
}

/** One entry for each stream whose fetcher has `withoutPersonalData`. */
export const PEOPLE: Readonly<Partial<Record<LandingStream, PeopleOfStream>>> = {
  executives: { people: [{ path: ['list'] }, { path: ['data'] }, { path: [] }], entity: 'company', expired: 'drop' },
  employees: { people: [{ path: ['data'] }], entity: 'company', expired: 'drop' },
  employee_details: { people: [{ path: [] }], entity: 'person', expired: 'drop' },
  enrichments: { people: [{ path: [] }, { path: ['data'] }], entity: 'other', expired: 'drop' },
  ownership: { people: [{ path: ['**'] }], entity: 'company', expired: 'reduce' },
  ownership_jobs: { people: [{ path: ['**'] }], entity: 'company', expired: 'reduce' },
  tender_details: { people: [{ path: ['contacts', '*'], kind: 'contact' }], entity: 'other', expired: 'reduce' },
  watch_events: { people: [], entity: 'company', events: true, expired: 'reduce' },
};

/** The streams about people. */
export const PEOPLE_STREAMS = Object.keys(PEOPLE) as LandingStream[];
