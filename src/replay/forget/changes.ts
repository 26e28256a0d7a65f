import { WEBHOOK_REQUEST, type LandingStream } from '../../../schemas/pipeline/landing.js';
import { PEOPLE } from '../../../schemas/pipeline/people.js';
import { fetchers } from '../../crawl/fetchers/index.js';
import { readJson } from '../../core/json-nodes.js';
import { deliveryWithoutPeople, REMOVED_FIELD, type EventFacts } from '../../privacy/events.js';
import { openFingerprint, type Fingerprint } from '../../privacy/fingerprint.js';
import { withoutText, type Forgotten, type Named, type PeopleRow, type Subject } from '../../privacy/forgotten.js';
import type { FoundPerson } from '../../privacy/people.js';
import { personInQuestion } from '../../privacy/questions.js';
import { addValue, addValues, isAddress, ValueFinder, valuesOf } from '../../privacy/values.js';
import type { Change, StoredRow } from './landed-rows.js';
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
 * row, `seal`, then `apply` for every row.
 */
export class Changes {
  readonly #forgotten: Forgotten | undefined;
  readonly #request: Reduction;
  readonly #unproven: Unproven;
  /** Values of forgotten people that belong to other people, too. */
  readonly #shared = new Set<string>();
  readonly #contents = new Set<string>();
  #fingerprint: Fingerprint | undefined;
  #addresses = new ValueFinder([]);
  #ofCompany = new ValueFinder([]);
  /** The values in lower case, because a list may write a name with other capital letters than the API. */
  #ofQuestions = new ValueFinder([]);
  #isSealed = false;

  constructor(forgotten: Forgotten | undefined, request: Reduction, unproven: Unproven) {
    this.#forgotten = forgotten;
    this.#request = request;
    this.#unproven = unproven;
  }

  async open(dataDir: string): Promise<void> {
    this.#fingerprint = await openFingerprint(dataDir);
  }

  /** Collects the values of the people whom this removal recognizes by their id. */
  collect(stream: LandingStream, row: StoredRow): void {
    const current = this.#reduced(stream, row);
    const after = current === null ? null : this.#stripped(stream, current);
    if (after === row) return;
    this.note(stream, row, after);
    if (current === null || after === null || after === current) return;
    for (const value of difference(stream, current, after)) this.#unproven.named.add(value);
    if (PEOPLE[stream]?.entity === 'company' && row.entity_id !== null) this.#unproven.companies.add(row.entity_id);
  }

  /** Records which collected values also belong to people that stay. */
  noteKept(stream: LandingStream, row: StoredRow): void {
    const after = this.apply(stream, row);
    if (after === null || PEOPLE[stream]?.events) return;
    for (const value of valuesOf(after.body)) if (this.#unproven.named.has(value)) this.#shared.add(value);
  }

  /**
   * Ends the collection. From now on, `apply` also removes a contact or event that holds a value of a forgotten person.
   */
  seal(): void {
    const own = [...this.#unproven.named].filter((value) => !this.#shared.has(value));
    this.#addresses = new ValueFinder(own.filter(isAddress));
    this.#ofCompany = new ValueFinder(own);
    this.#ofQuestions = new ValueFinder(own.map((value) => value.toLowerCase()));
    this.#isSealed = own.length > 0;
  }

  readonly apply: Change = (stream, row) => {
    const current = this.#reduced(stream, row);
    return current === null ? null : this.#stripped(stream, current);
  };

  /** Remembers the values that a change removes, and the fingerprints of removed events. */
  readonly note = (stream: LandingStream, before: StoredRow, after: StoredRow | null): void => {
    for (const value of difference(stream, before, after)) this.#unproven.values.add(value);
    for (const [, hash = ''] of after?.body.matchAll(CONTENT) ?? []) this.#contents.add(hash);
  };

  /** Returns tombstones for the removed events. */
  contents(): Subject[] {
    return [...this.#contents].map((id) => ({ kind: 'content', id }));
  }

  /** Applies the parts of the request that concern all people: `expired` and `everyone`. */
  #reduced(stream: LandingStream, row: StoredRow): StoredRow | null {
    const { expired, everyone } = this.#request;
    const cutoff = expired?.[stream];
    const isExpired = cutoff !== undefined && Date.parse(row.fetched_at) < cutoff.getTime();
    if (!isExpired && !everyone) return row;
    if (isExpired && PEOPLE[stream]?.expired === 'drop') return null;
    if (personInQuestion(stream, row.entity_id).length > 0) return null;
    return this.#withoutPeople(stream, row);
  }

  #withoutPeople(stream: LandingStream, row: StoredRow): StoredRow {
    const fingerprint = this.#fingerprint as Fingerprint;
    const isDelivery = row.request_key.startsWith(WEBHOOK_REQUEST);
    const reduce = isDelivery ? deliveryWithoutPeople : fetchers[stream as keyof typeof fetchers]?.withoutPersonalData;
    if (reduce === undefined) return row;
    if (!isDelivery && !isJson(row.body)) return withoutText(row);
    const body = reduce(row.body, fingerprint, row.request_key);
    return body === row.body ? row : { ...row, body };
  }

  #stripped(stream: LandingStream, row: StoredRow): StoredRow {
    return this.#forgotten?.strip(stream, row, this.#named) ?? row;
  }

  readonly #named: Named = {
    person: ({ node, kind }: FoundPerson) => {
      // The contacts of a tender have ids of their own kind. So recognize a forgotten person by an address or phone
      // number.
      if (!this.#isSealed || kind !== 'contact') return false;
      const values = new Set<string>();
      addValues(node, values);
      return [...values].some((value) => this.#addresses.isIn(value));
    },
    event: ({ text }: EventFacts, { entity_id }: PeopleRow) => {
      if (!this.#isSealed) return false;
      if (this.#addresses.isIn(text)) return true;
      return entity_id !== null && this.#unproven.companies.has(entity_id) && this.#ofCompany.isIn(text);
    },
    question: (stream: LandingStream, { entity_id }: PeopleRow) =>
      this.#isSealed &&
      personInQuestion(stream, entity_id).some((value) => this.#ofQuestions.isIn(value.toLowerCase())),
    unreadable: ({ body }: PeopleRow) => this.#isSealed && this.#ofCompany.isIn(body),
  };
}

function difference(stream: LandingStream, before: StoredRow, after: StoredRow | null): string[] {
  const kept = after === null ? new Set<string>() : valuesOf(after.body);
  const values = valuesOf(before.body);
  if (after?.entity_id !== before.entity_id) {
    for (const value of personInQuestion(stream, before.entity_id)) addValue(value, values);
  }
  return [...values].filter((value) => !kept.has(value));
}

function isJson(body: string): boolean {
  try {
    readJson(body);
    return true;
  } catch {
    return false;
  }
}
