import { existsSync, readFileSync, statSync } from 'node:fs';
import { hash } from 'node:crypto';
import { UNREAD_PAGES, WEBHOOK_REQUEST, type LandedRow } from '../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { PEOPLE, type SubjectKind } from '../../schemas/streams/people.js';
import { forgottenFile, type LandingPlace } from '../store/data-folder.js';
import { TidemarkError } from '../base/errors.js';
import { writeFileAtomic } from '../store/files.js';
import { formatCount } from '../../schemas/format.js';
import { readJsonNodes, repeatsKey, type JsonNode } from '../base/json/json-nodes.js';
import { reduceDelivery, reduceEvents, type EventFacts } from './events.js';
import { fingerprintWith, openFingerprint, type Fingerprint } from './fingerprint.js';
import { newForgottenList, readForgottenList, writeForgottenList, type ForgottenList } from './forgotten-list.js';
import { asksAbout, personInQuestion } from './questions.js';
import { removePeople, type FoundPerson } from './people.js';
import { addValues } from './values.js';
import type { Data } from '../store/data.js';

/*
 * A tombstone is a keyed hash of the id or address of a forgotten person, of the id of a forgotten company, or of the
 * content of a removed event. The file `data/secrets/forgotten` has one tombstone per line. Every answer is compared
 * with the tombstones before landing, so no later crawl, retry or replay brings a forgotten person back. While the file
 * cannot be read, no answer about people is landed.
 */

/**
 * A person or company to forget, an address or phone number that only forgotten people have (`address`), or the
 * fingerprint of an event's removed content (`content`).
 */
export interface Subject {
  kind: SubjectKind | 'address' | 'content';
  id: string;
}

/** The fields of a landed row that may name people. */
export type PeopleRow = Pick<LandedRow, 'request_key' | 'entity_id' | 'status' | 'body'>;

/** The tombstones of a data folder. */
export class Forgotten {
  readonly #fingerprint: Fingerprint;
  readonly #tombstones: ReadonlySet<string>;

  constructor(fingerprint: Fingerprint, tombstones: ReadonlySet<string>) {
    this.#fingerprint = fingerprint;
    this.#tombstones = tombstones;
  }

  has(kind: Subject['kind'], id: string | null): boolean {
    return id !== null && this.#tombstones.has(tombstoneOf(this.#fingerprint, { kind, id }));
  }

  /**
   * Removes forgotten people from a row.
   * @param named selects further people and events to remove, which have no tombstone
   * @returns the same object if nothing was removed
   */
  strip<Row extends PeopleRow>(stream: LandingStream, row: Row, named: Named = NOBODY): Row {
    const spec = PEOPLE[stream];
    if (spec === undefined) return row;
    if (spec.entity === 'person' && this.has('person', row.entity_id)) return { ...row, ...REMOVED_ROW };
    const ofCompany = spec.entity === 'company' && this.has('company', row.entity_id);
    if (this.#asksForAddress(stream, row) || named.question(stream, row)) return { ...row, ...REMOVED_ROW };
    const json = readJson(row.body);
    if (json === undefined)
      return ofCompany || named.unreadable(row) || this.#isNamedIn(row.body) ? withoutText(row) : row;
    if (repeatsKey(json) && this.#isNamedIn(row.body)) return withoutText(row);
    const removed = new Set<string>();
    const isRemoved = (person: FoundPerson): boolean => {
      const isGone = ofCompany || this.isGone(person) || named.person(person);
      if (isGone) addValues(person.node, removed);
      return isGone;
    };
    const body = spec.events
      ? this.#stripEvents(row, (event) => ofCompany || this.#isGoneEvent(event) || named.event(event, row))
      : removePeople(json, spec, isRemoved);
    if (body === null || asksAbout(stream, row.entity_id, removed)) return { ...row, ...REMOVED_ROW };
    return body === json.text || body === row.body ? row : { ...row, body };
  }

  /** Whether a person in a body was forgotten. */
  isGone({ node, kind, id, company }: FoundPerson): boolean {
    if (this.has(kind, id) || this.has('company', company)) return true;
    // Each tender gives its contacts new ids.
    if (kind !== 'contact') return false;
    const values = new Set<string>();
    addValues(node, values);
    return this.#hasAddress(values);
  }

  /** Whether a text holds the id of a forgotten person or company, wherever it is. */
  #isNamedIn(text: string): boolean {
    const ids = new Set([...text.matchAll(ID)].map(([, id = '']) => id));
    return [...ids].some((id) => KINDS.some((kind) => this.has(kind, id)));
  }

  #isGoneEvent({ hash: content, text }: EventFacts): boolean {
    return this.has('content', content) || this.#hasAddress(text.match(/[^\s"<>\\@]+@[^\s"<>\\@]+/g) ?? []);
  }

  #asksForAddress(stream: LandingStream, { entity_id }: PeopleRow): boolean {
    return this.#hasAddress(personInQuestion(stream, entity_id));
  }

  #hasAddress(values: Iterable<string>): boolean {
    return [...values].some((id) => this.has('address', id));
  }

  #stripEvents(row: PeopleRow, wanted: (event: EventFacts) => boolean): string {
    const reduce = row.request_key.startsWith(WEBHOOK_REQUEST) ? reduceDelivery : reduceEvents;
    return reduce(row.body, this.#fingerprint, (event) => event.aboutPeople && wanted(event));
  }
}

const KINDS = ['person', 'company', 'contact'] as const;
// An id in a text, such as `"id": 7`, `\"id\":"7"`, `<id>7<` and `id=7`.
const ID = /id\\*"?\s*[:=>]\s*\\*"?(\d{1,19})(?!\d)/gi;

/**
 * Selects people and events to remove although they have no tombstone, for example because their text contains the name
 * of a removed person.
 */
export interface Named {
  person(person: FoundPerson): boolean;
  event(event: EventFacts, row: PeopleRow): boolean;
  /** Whether the question of a list names a person to remove. */
  question(stream: LandingStream, row: PeopleRow): boolean;
  /** Whether to remove the text of an answer that is no JSON. */
  unreadable(row: PeopleRow): boolean;
}

// An unreadable answer may name a forgotten person.
const NOBODY: Named = { person: () => false, event: () => false, question: () => false, unreadable: () => true };

/** Replaces an answer that describes only a forgotten person. The load counts it as "not found". */
const REMOVED_ROW = { request_key: 'removed by tidemark forget', entity_id: 'forgotten', status: 404, body: '' };
const BY_TIDEMARK = 'Removed by tidemark forget: ';

/** Removes the text of an answer that is no JSON. Keeps the text if Tidemark itself wrote it. */
export function withoutText<Row extends PeopleRow>(row: Row): Row {
  if (isOwnText(row)) return row;
  const size = formatCount(Buffer.byteLength(row.body));
  return { ...row, body: `${BY_TIDEMARK}an unreadable answer of ${size} bytes.` };
}

/** Whether Tidemark itself wrote a text that is no JSON. */
function isOwnText({ request_key: key, body }: PeopleRow): boolean {
  return body === '' || body.startsWith(BY_TIDEMARK) || key.endsWith(UNREAD_PAGES);
}

function readJson(body: string): JsonNode | undefined {
  try {
    return readJsonNodes(body);
  } catch {
    return undefined;
  }
}

function tombstoneOf(fingerprint: Fingerprint, { kind, id }: Subject): string {
  return fingerprint(`${kind} ${kind === 'address' ? id.toLowerCase() : id}`);
}

const cache = new Map<string, { stamp: string; forgotten: Forgotten }>();

/**
 * Reads the tombstones; undefined when there are none. Reads the file again only if it changed.
 * @throws TidemarkError `InvalidConfig` when the list cannot be read; see `readForgottenList`
 */
export function readForgotten(dataDir: string): Forgotten | undefined {
  const file = forgottenFile(dataDir);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const known = cache.get(file);
  if (known?.stamp === stamp) return known.forgotten;
  const list = readForgottenList(dataDir);
  if (list === undefined) return undefined;
  const forgotten = new Forgotten(fingerprintWith(list.key), list.tombstones);
  cache.set(file, { stamp, forgotten });
  return forgotten;
}

/**
 * Checks that forgotten people can be recognized. Call it before answers of the stream are requested.
 * @throws TidemarkError `InvalidConfig`; see `readForgottenList`
 */
export function requireForgotten({ data, stream }: Pick<LandingPlace, 'data' | 'stream'>): void {
  if (PEOPLE[stream] !== undefined) readForgotten(data.dataDir);
}

/**
 * Adds tombstones. Resolves when they are on disk, and in the bucket if the data is there. From then on, no answer with
 * these people or companies is landed.
 * @param options `replaceList`: starts a new list, because the old one cannot be read
 * @throws TidemarkError `InvalidConfig` when the list cannot be read; `InvalidInput` when a list to replace can be read
 */
export async function addTombstones(
  data: Data,
  subjects: readonly Subject[],
  { replaceList = false }: { replaceList?: boolean | undefined } = {},
): Promise<void> {
  const { dataDir } = data;
  const fingerprint = replaceList ? undefined : await openFingerprint(data);
  const file = forgottenFile(dataDir);
  const list = replaceList ? listToReplace(dataDir) : (readForgottenList(dataDir) ?? newForgottenList(dataDir));
  const hashOf = fingerprint ?? fingerprintWith(list.key);
  const tombstones = new Set([...list.tombstones, ...subjects.map((subject) => tombstoneOf(hashOf, subject))]);
  if (tombstones.size === 0) return;
  const text = writeForgottenList({ key: list.key, tombstones });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) await writeFileAtomic(file, text);
  await data.give(file);
}

function listToReplace(dataDir: string): ForgottenList {
  try {
    readForgottenList(dataDir);
  } catch {
    return newForgottenList(dataDir);
  }
  throw new TidemarkError('InvalidInput', '--replace-list is not needed: the list of forgotten people can be read.', {
    todo: 'Run the command without --replace-list.',
  });
}

/** Takes the tombstones that another machine has added. Call it before answers are committed. */
export async function refreshForgotten(data: Data, stream: LandingStream): Promise<void> {
  if (PEOPLE[stream] !== undefined) await data.refresh(forgottenFile(data.dataDir));
}

/** Removes forgotten people from a row before it is landed. Returns the same row if it names none. */
export function withoutForgotten(place: Pick<LandingPlace, 'data' | 'stream'>, row: LandedRow): LandedRow {
  if (PEOPLE[place.stream] === undefined) return row;
  const stripped = readForgotten(place.data.dataDir)?.strip(place.stream, row) ?? row;
  return stripped === row ? row : { ...stripped, sha256: sha256Of(stripped.body) };
}

/** Returns the hex SHA-256 of a body, as in landed rows. */
export function sha256Of(body: string): string {
  return hash('sha256', body);
}
