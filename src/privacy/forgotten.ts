import { workingCopyOf } from '../working-copy/open.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { hash } from 'node:crypto';
import { UNREAD_PAGES, WEBHOOK_REQUEST, type LandedRow, type LandingStream } from '../../schemas/pipeline/landing.js';
import { PEOPLE, type SubjectKind } from '../../schemas/pipeline/people.js';
import { forgottenFile } from '../core/data-folder.js';
import { writeFileAtomic } from '../core/files.js';
import { formatCount } from '../../schemas/format.js';
import { readJsonNodes, type JsonNode } from '../core/json-nodes.js';
import { reduceDelivery, reduceEvents, type EventFacts } from './events.js';
import { findFingerprint, openFingerprint, type Fingerprint } from './fingerprint.js';
import { asksAbout } from './questions.js';
import { removePeople, type FoundPerson } from './people.js';
import { addValues } from './values.js';

/*
 * A tombstone is a keyed hash of the id of a forgotten person or company, or of the content of a removed event. The
 * file `data/secrets/forgotten` has one tombstone per line. Every answer is compared with the tombstones before
 * landing, so no later crawl, retry or replay brings a forgotten person back.
 */

/** A person or company to forget, or the fingerprint of an event's removed content (`content`). */
export interface Subject {
  kind: SubjectKind | 'content';
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
    if (named.question(stream, row)) return { ...row, ...REMOVED_ROW };
    const json = readJson(row.body);
    if (json === undefined) return ofCompany || named.unreadable(row) ? withoutText(row) : row;
    const removed = new Set<string>();
    const isRemoved = (person: FoundPerson): boolean => {
      const isGone = ofCompany || this.#isGone(person) || named.person(person);
      if (isGone) addValues(person.node, removed);
      return isGone;
    };
    const body = spec.events
      ? this.#stripEvents(row, (event) => ofCompany || this.has('content', event.hash) || named.event(event, row))
      : removePeople(json, spec, isRemoved);
    if (body === null || asksAbout(stream, row.entity_id, removed)) return { ...row, ...REMOVED_ROW };
    return body === json.text || body === row.body ? row : { ...row, body };
  }

  #isGone({ kind, id, company }: FoundPerson): boolean {
    return this.has(kind, id) || this.has('company', company);
  }

  #stripEvents(row: PeopleRow, wanted: (event: EventFacts) => boolean): string {
    const reduce = row.request_key.startsWith(WEBHOOK_REQUEST) ? reduceDelivery : reduceEvents;
    return reduce(row.body, this.#fingerprint, (event) => event.aboutPeople && wanted(event));
  }
}

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
  return fingerprint(`${kind} ${id}`);
}

const cache = new Map<string, { stamp: string; forgotten: Forgotten }>();

/** Reads the tombstones; undefined when there are none. Reads the file again only if it changed. */
export function readForgotten(dataDir: string): Forgotten | undefined {
  const file = forgottenFile(dataDir);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const known = cache.get(file);
  if (known?.stamp === stamp) return known.forgotten;
  const fingerprint = findFingerprint(dataDir);
  if (fingerprint === undefined) return undefined;
  const forgotten = new Forgotten(fingerprint, readTombstones(file));
  cache.set(file, { stamp, forgotten });
  return forgotten;
}

/**
 * Adds tombstones. Resolves when they are on disk, and in the bucket if the data is there. From then on, no answer with
 * these people or companies is landed.
 */
export async function addTombstones(dataDir: string, subjects: readonly Subject[]): Promise<void> {
  const fingerprint = await openFingerprint(dataDir);
  const file = forgottenFile(dataDir);
  const before = readTombstones(file);
  const all = new Set([...before, ...subjects.map((subject) => tombstoneOf(fingerprint, subject))]);
  if (all.size > before.size) await writeFileAtomic(file, `${[...all].join('\n')}\n`);
  if (all.size > 0) await workingCopyOf(dataDir)?.give(file);
}

/** Takes the tombstones that another machine has added. Call it before answers are committed. */
export async function refreshForgotten({ dataDir, stream }: { dataDir: string; stream: LandingStream }): Promise<void> {
  if (PEOPLE[stream] !== undefined) await workingCopyOf(dataDir)?.refresh(forgottenFile(dataDir));
}

function readTombstones(file: string): Set<string> {
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
}

/** Removes forgotten people from a row before it is landed. Returns the same row if it names none. */
export function withoutForgotten(place: { dataDir: string; stream: LandingStream }, row: LandedRow): LandedRow {
  if (PEOPLE[place.stream] === undefined) return row;
  const stripped = readForgotten(place.dataDir)?.strip(place.stream, row) ?? row;
  return stripped === row ? row : { ...stripped, sha256: sha256Of(stripped.body) };
}

/** Returns the hex SHA-256 of a body, as in landed rows. */
export function sha256Of(body: string): string {
  return hash('sha256', body);
}
