import type { CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import type { ApiError } from '../../api/index.js';
import type { NewRow, PartWriter } from '../../landing/index.js';
import type { Fingerprint } from '../../privacy/fingerprint.js';
import type { RequestLog } from '../../landing/request-log.js';
import { Routes } from '../judge/routes.js';
import { rowOf, rowOfError } from '../records/answer.js';
import { heldBack, mostInFlight, type CrawlDeps, type Heartbeat } from '../records/deps.js';
import { isPage, type Fetcher, type Fetching } from '../records/fetcher.js';
import { fetchers } from '../streams/index.js';
import { cutShortRow } from '../records/read-pages.js';
import { askEach, compareWith, sinceScheduled } from '../attempt/ask-each.js';
import type { Said } from '../judge/judge.js';
import { NoRoomError } from '../judge/kinds.js';
import { findAnswered, isAnswered } from './other-records.js';

/** The dependencies and the input of one attempt. */
export interface ChunkWork {
  deps: CrawlDeps;
  input: CrawlChunkInput;
  entities: readonly string[];
  writer: PartWriter;
  heartbeat: Heartbeat;
  /** Makes the keyed hashes that replace texts about people. Null if answers may be landed unchanged. */
  fingerprint: Fingerprint | null;
}

/**
 * One attempt to fetch the entities of a chunk that are not landed yet. An entity is a company, a tender or a question.
 * `Judge` decides what an error means. Entities that fail repeatedly are filed as failed.
 */
export class ChunkAttempt {
  /**
   * Whether the last comparison was with a record that the API had answered before. If not, a refusal may concern only
   * the records that were requested.
   */
  comparedWithAnswered = false;
  readonly #work: ChunkWork;
  readonly #fetcher: Fetcher;
  /** Entities that no earlier attempt has landed. */
  readonly #open: readonly string[];
  readonly #routes: Routes;
  readonly #tried = new Set<string>();
  readonly #answered = new Set<string>();
  /** Entities that are being requested for comparison. */
  readonly #compared = new Map<string, Promise<unknown>>();
  /** Landed pages of entities that are not finished, by entity and row kind. */
  readonly #pages = new Map<string, Map<string, NewRow>>();
  /** Entities that were read only in part. A landed row of each entity names the missing part. */
  readonly #cutShort = new Set<string>();
  /** An entity that the API has answered; null if none is known. */
  #known: string | null;
  readonly #mostUnwritten: number;

  constructor(work: ChunkWork) {
    const { deps, input, entities, writer } = work;
    this.#work = work;
    this.#fetcher = fetchers[input.stream];
    this.#routes = new Routes(input.refused ?? []);
    const finished = new Set<string | null>();
    for (const row of writer.rows) {
      if (!isPage(row)) finished.add(row.entity_id);
      else if (row.status !== 0) this.#pagesOf(row.entity_id ?? '').set(row.row_kind, row);
    }
    this.#open = entities.filter((entity) => !finished.has(entity));
    this.#known = writer.rows.find(isAnswered)?.entity_id ?? null;
    this.#mostUnwritten = heldBack(mostInFlight(deps), input.atOnce);
  }

  /** The refusals of routes that the API key may not use. Empty for streams with a single route. */
  get refusedRoutes(): ApiError[] {
    if (!this.#fetcher.manyRoutes) return [];
    return this.#known === null ? this.#routes.refused : this.#routes.closed;
  }

  /**
   * Fetches and lands the open entities.
   * @returns how many entities were filed as failed or read only in part
   * @throws NoRoomError when the run has used its budget of requests
   * @throws as `askEach`
   */
  async run(booking: RequestLog): Promise<number> {
    const { deps, input, writer, heartbeat } = this.#work;
    const failed = await askEach(deps, heartbeat, {
      of: this.#fetcher.manyRoutes ? 'questions' : 'records',
      items: this.#open,
      limit: mostInFlight(deps, input.concurrency),
      known: this.#known !== null,
      ask: (entity) => this.#ask(entity, booking),
      gone: async (entity, error) => {
        await writer.append(this.#rowOfError(error, entity, 'gone'));
        this.#noteAnswer(entity);
      },
      other: (failing) => this.#askAnother(failing, booking),
      silentMs: () => this.#silentMs(),
    });
    for (const [entity, fault] of failed) await writer.append(this.#rowOfError(fault, entity, 'failed'));
    return failed.size + this.#cutShort.size;
  }

  async #ask(entity: string, booking: RequestLog): Promise<void> {
    const { input, heartbeat, entities } = this.#work;
    await this.#compared.get(entity)?.catch(() => undefined);
    if (this.#answered.has(entity)) return;
    this.#requireRoom(booking);
    this.#tried.add(entity);
    try {
      await this.#land(entity, booking);
    } finally {
      const total = entities.length;
      const done = total - this.#open.length + this.#answered.size;
      heartbeat.report({ step: input.stream, done, total, requests: booking.requests });
    }
  }

  #requireRoom({ requests }: RequestLog): void {
    if (requests >= (this.#work.input.budget ?? Infinity)) throw new NoRoomError();
  }

  #noteAnswer(entity: string): void {
    this.#answered.add(entity);
    this.#known ??= entity;
  }

  /**
   * Fetches and lands all rows of an entity. Lands each page when the next row is there, because only the last row gets
   * another kind. After an error, the next try does not request the landed pages again.
   */
  async #land(entity: string, booking: RequestLog): Promise<void> {
    const { writer } = this.#work;
    const pages = this.#pagesOf(entity);
    let last: NewRow | undefined;
    const add = (row: NewRow): void => {
      if (last !== undefined) {
        writer.add(this.#withoutPeople(last), this.#mostUnwritten);
        pages.set(last.row_kind, last);
      }
      last = row;
    };
    const page: Fetching['page'] = async (name, request) => {
      const kind = `page-${name}`;
      const landed = pages.get(kind);
      if (landed !== undefined) return landed;
      this.#requireRoom(booking);
      const row = rowOf(await request(), entity, kind);
      add(row);
      return row;
    };
    const gap = await this.#fetch(entity, { add, page });
    last ??= [...pages.values()].at(-1);
    if (last !== undefined) {
      if (typeof gap === 'string') {
        writer.add(cutShortRow(last, gap), this.#mostUnwritten);
        this.#cutShort.add(entity);
      }
      const row = this.#withoutPeople({ ...last, row_kind: last.row_kind.replace(/^page-/, 'last-') });
      await (this.#fetcher.costly ? writer.keep(row) : writer.add(row, this.#mostUnwritten));
    }
    this.#pages.delete(entity);
    this.#noteAnswer(entity);
  }

  #pagesOf(entity: string): Map<string, NewRow> {
    const pages = this.#pages.get(entity) ?? new Map<string, NewRow>();
    this.#pages.set(entity, pages);
    return pages;
  }

  async #fetch(entity: string, rows: Pick<Fetching, 'add' | 'page'>): Promise<string | null | void> {
    const { deps, input, heartbeat } = this.#work;
    const [{ client }, { ctx }, { signal }, routes] = [deps, input, heartbeat, this.#routes];
    return this.#fetcher.fetch(entity, { client, ctx, signal, routes, deps, ...rows });
  }

  /** Removes from a row what identifies people, unless the chunk may land them. */
  #withoutPeople(row: NewRow): NewRow {
    const { fingerprint } = this.#work;
    const { withoutPersonalData } = this.#fetcher;
    if (fingerprint === null || withoutPersonalData === undefined) return row;
    return { ...row, body: withoutPersonalData(row.body, fingerprint, row.request_key) };
  }

  /**
   * Makes the row of an error. If the answer may describe people, the row holds only the error's message, because the
   * answer may name them.
   */
  #rowOfError(error: ApiError, entity: string, rowKind: string): NewRow {
    const row = rowOfError(error, entity, rowKind);
    return this.#work.fingerprint === null ? row : { ...row, body: error.message };
  }

  /** Milliseconds since the last landed row, or else since the activity was first scheduled. */
  #silentMs(): number {
    const { writer, deps, heartbeat } = this.#work;
    const last = writer.rows.at(-1);
    return last ? deps.clock.now().getTime() - Date.parse(last.fetched_at) : sinceScheduled(heartbeat);
  }

  /**
   * Requests a record that the API answered before, in this chunk, this run or an earlier run. If no such record is
   * known, or if requests of the stream are costly, requests up to two records that were not requested yet.
   */
  async #askAnother(failing: ReadonlySet<string>, booking: RequestLog): Promise<Said> {
    const { deps, input } = this.#work;
    if (!this.#fetcher.costly) {
      this.#known ??= await findAnswered(deps.data, input.stream, failing);
      this.comparedWithAnswered = this.#known !== null;
      if (this.#known !== null) return this.#compareWith(this.#known);
    }
    const untried = this.#open.filter((entity) => !this.#tried.has(entity));
    let said: Said = 'none';
    for (const entity of new Set([untried.at(-1), untried[untried.length >> 1]])) {
      if (entity === undefined) continue;
      const comparing = compareWith(() => this.#land(entity, booking));
      this.#compared.set(entity, comparing);
      const answer = await comparing;
      if (answer === 'answered') return answer;
      if (answer !== 'none') said = answer;
    }
    return said;
  }

  /** One answer proves that the API answers this record. So ends after the first page, and lands nothing. */
  async #compareWith(entity: string): Promise<Said> {
    const page: Fetching['page'] = async (_name, request) => {
      await request();
      throw ANSWERED;
    };
    return compareWith(async () => {
      try {
        await this.#fetch(entity, { add: () => undefined, page });
      } catch (error) {
        if (error !== ANSWERED) throw error;
      }
    });
  }
}

const ANSWERED = new Error('a page was answered');
