import { WEBHOOK_REQUEST } from '../../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE } from '../../../schemas/streams/people.js';
import { JOB_FIELDS } from '../../privacy/personal-data.js';
import { fetchers } from '../../crawl/streams/index.js';
import { readJson, readJsonNodes } from '../../base/json/json-nodes.js';
import { deliveryWithoutPeople, REMOVED_FIELD, type EventFacts } from '../../privacy/events.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import { withoutText, type Forgotten, type Named, type PeopleRow, type Subject } from '../../privacy/forgotten.js';
import { removePeople, type FoundPerson } from '../../privacy/people.js';
import { personInQuestion } from '../../privacy/questions.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import { addPhones, addValue, addValues, isAddress, shortValuesOf, valuesOf } from '../../privacy/values.js';
import type { Change, StoredRow } from './answers.js';
import { peopleIn } from './linked.js';
import type { Unproven } from './unproven.js';

const CONTENT = new RegExp(`"${REMOVED_FIELD}":"([0-9a-f]+)"`, 'g');

/** What to remove from the answers about all people, not only from those of forgotten people. */
export interface Reduction {
  /** For each stream: remove people from answers older than this time. */
  expired?: Partial<Record<LandingStream, Date>> | undefined;
  /** True: remove all personal data, as `personalData: none` does before landing. */
  everyone?: boolean | undefined;
}

/**
 * Decides what a removal changes in each landed row. Call in this order: `collect` for every row, `noteKept` for every
 * row, `seal`, `noteChange` for every row, then `apply` for every row.
 */
export class Changes {
  /** Values of removed people that people who stay have, too. */
  readonly kept = new Set<string>();
  /** Records of other people that hold an address or phone number of a forgotten person, each as `<stream> <id>`. */
  readonly others = new Set<string>();
  readonly #contents = new Set<string>();
  /** Addresses that only forgotten people have. */
  #own: readonly string[] = [];
  #addresses = new ValueFinder([]);
  #ofCompany = new ValueFinder([]);
  /** The values in lower case, because a list may write a name with other capital letters than the API. */
  #ofQuestions = new ValueFinder([]);

  constructor(
    private readonly fingerprint: Fingerprint,
    private readonly forgotten: Forgotten | undefined,
    private readonly request: Reduction,
    private readonly unproven: Unproven,
  ) {}

  /** Collects the values of the people whom this removal recognizes by their id. */
  collect(stream: LandingStream, row: StoredRow): void {
    const current = this.#reduced(stream, row);
    const after = current === null ? null : this.#stripped(stream, current);
    if (after === row) return;
    this.#note(stream, row, after);
    if (current === null || after === null || after === current) return;
    const { named, phones, companies } = this.unproven;
    const isMixed = this.#isMixed(stream, current, after);
    if (!isMixed) for (const value of difference(stream, current, after, JOB_FIELDS)) named.add(value);
    if (PEOPLE[stream]?.entity === 'company' && row.entity_id !== null) companies.add(row.entity_id);
    const stays = new Set(peopleIn(after.body, stream).map(({ node }) => node.text));
    for (const person of peopleIn(current.body, stream)) {
      const { node, company } = person;
      if (stays.has(node.text) || (isMixed && !this.forgotten?.isGone(person))) continue;
      if (isMixed) addValues(node, named, JOB_FIELDS);
      addPhones(node, phones);
      if (company !== null) companies.add(company);
    }
  }

  /** Whether an answer lost its text because nobody can read it. The text may name other people, too. */
  #isMixed(stream: LandingStream, { entity_id }: StoredRow, after: StoredRow): boolean {
    const ofCompany = PEOPLE[stream]?.entity === 'company' && this.forgotten?.has('company', entity_id);
    return after.entity_id === entity_id && !ofCompany && !isJson(after.body);
  }

  /**
   * Records which collected values also belong to people that stay.
   * @param ofCompanies addresses that answers about companies have, too: these are no personal data
   */
  noteKept(stream: LandingStream, row: StoredRow, ofCompanies: ReadonlySet<string>): void {
    const after = this.apply(stream, row);
    if (after === null || PEOPLE[stream]?.events) return;
    const { values, named } = this.unproven;
    // These answers do not stay: after `seal`, their question or their text tells whom they name.
    if (!isJson(after.body) || personInQuestion(stream, after.entity_id).some((value) => named.has(value))) return;
    for (const value of valuesOf(withoutContacts(stream, after.body))) if (values.has(value)) this.kept.add(value);
    for (const { node, id, kind } of peopleIn(after.body, stream)) {
      if (kind === 'contact') continue;
      const own = new Set<string>();
      addValues(node, own, JOB_FIELDS);
      for (const value of own) {
        if (named.has(value) && this.#isAddress(value) && !ofCompanies.has(value))
          this.others.add(`${stream} ${id ?? after.entity_id ?? ''}`);
      }
    }
  }

  /** The addresses and phone numbers of forgotten people. */
  addresses(): string[] {
    return [...this.unproven.named].filter((value) => this.#isAddress(value));
  }

  /**
   * Ends the collection. From now on, `apply` also removes a contact or event that holds a value of a forgotten person.
   * @param ofCompanies as in `noteKept`
   */
  seal(ofCompanies: ReadonlySet<string>): void {
    const own = [...this.unproven.named].filter((value) => !this.kept.has(value) && !ofCompanies.has(value));
    this.#own = own.filter((value) => this.#isAddress(value));
    this.#addresses = new ValueFinder(this.#own);
    this.#ofCompany = new ValueFinder(own);
    this.#ofQuestions = new ValueFinder(own.map((value) => value.toLowerCase()));
  }

  #isAddress(value: string): boolean {
    return isAddress(value) || this.unproven.phones.has(value);
  }

  readonly apply: Change = (stream, row) => {
    const current = this.#reduced(stream, row);
    return current === null ? null : this.#stripped(stream, current);
  };

  /** Remembers what `apply` removes from a row. */
  noteChange(stream: LandingStream, row: StoredRow): void {
    const after = this.apply(stream, row);
    if (after !== row) this.#note(stream, row, after);
  }

  /** Remembers the values that a change removes, and the fingerprints of removed events. */
  #note(stream: LandingStream, before: StoredRow, after: StoredRow | null): void {
    for (const value of difference(stream, before, after)) this.unproven.values.add(value);
    const kept = after === null ? new Set() : shortValuesOf(after.body);
    for (const value of shortValuesOf(before.body)) if (!kept.has(value)) this.unproven.short.add(value);
    for (const [, hash = ''] of after?.body.matchAll(CONTENT) ?? []) this.#contents.add(hash);
  }

  /** Returns tombstones for what was recognized by its values: removed events, and the addresses of forgotten people. */
  recognized(): Subject[] {
    const contents = [...this.#contents].map((id) => ({ kind: 'content', id }) as const);
    return [...contents, ...this.#own.map((id) => ({ kind: 'address', id }) as const)];
  }

  /** Applies the parts of the request that concern all people: `expired` and `everyone`. */
  #reduced(stream: LandingStream, row: StoredRow): StoredRow | null {
    const { expired, everyone } = this.request;
    const cutoff = expired?.[stream];
    const isExpired = cutoff !== undefined && Date.parse(row.fetched_at) < cutoff.getTime();
    if (!isExpired && !everyone) return row;
    if (isExpired && PEOPLE[stream]?.expired === 'drop') return null;
    if (personInQuestion(stream, row.entity_id).length > 0) return null;
    return this.#withoutPeople(stream, row);
  }

  #withoutPeople(stream: LandingStream, row: StoredRow): StoredRow {
    const isDelivery = row.request_key.startsWith(WEBHOOK_REQUEST);
    const reduce = isDelivery ? deliveryWithoutPeople : fetchers[stream as keyof typeof fetchers]?.withoutPersonalData;
    if (reduce === undefined) return row;
    if (!isDelivery && !isJson(row.body)) return withoutText(row);
    const body = reduce(row.body, this.fingerprint, row.request_key);
    return body === row.body ? row : { ...row, body };
  }

  #stripped(stream: LandingStream, row: StoredRow): StoredRow {
    return this.forgotten?.strip(stream, row, this.#named) ?? row;
  }

  /** Finds nobody before `seal`. */
  readonly #named: Named = {
    person: ({ node, kind }: FoundPerson) => {
      // The contacts of a tender have ids of their own kind. So recognize a forgotten person by an address or phone
      // number.
      if (kind !== 'contact') return false;
      const values = new Set<string>();
      addValues(node, values);
      return [...values].some((value) => this.#addresses.isIn(value));
    },
    event: ({ text }: EventFacts, { entity_id }: PeopleRow) => {
      if (this.#addresses.isIn(text)) return true;
      return entity_id !== null && this.unproven.companies.has(entity_id) && this.#ofCompany.isIn(text);
    },
    question: (stream: LandingStream, { entity_id }: PeopleRow) =>
      personInQuestion(stream, entity_id).some((value) => this.#ofQuestions.isIn(value.toLowerCase())),
    unreadable: ({ body }: PeopleRow) => this.#ofCompany.isIn(body),
  };
}

function difference(
  stream: LandingStream,
  before: StoredRow,
  after: StoredRow | null,
  skipped?: ReadonlySet<string>,
): string[] {
  const kept = after === null ? new Set<string>() : valuesOf(after.body);
  const values = valuesOf(before.body, new Set(), skipped);
  if (after?.entity_id !== before.entity_id) {
    for (const value of personInQuestion(stream, before.entity_id)) addValue(value, values);
  }
  return [...values].filter((value) => !kept.has(value));
}

/** Returns a body without the contacts of a tender: they have ids of their own kind, so their addresses decide whether they stay. */
function withoutContacts(stream: LandingStream, body: string): string {
  const spec = PEOPLE[stream];
  if (spec === undefined || !spec.people.some(({ kind }) => kind === 'contact') || !isJson(body)) return body;
  return removePeople(readJsonNodes(body), spec, ({ kind }) => kind === 'contact') ?? '';
}

function isJson(body: string): boolean {
  try {
    readJson(body);
    return true;
  } catch {
    return false;
  }
}
