import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiError } from '../../api/index.js';
import { keepsContacts } from '../../config/config.js';
import { PartWriter, textOf, type NewRow, type PartTarget } from '../../landing/index.js';
import type { RequestLog } from '../../landing/request-log.js';
import { openFingerprint, type Fingerprint } from '../../privacy/fingerprint.js';
import { Routes } from '../judge/routes.js';
import { isRecord, rowOf, rowOfError } from '../records/answer.js';
import { heldBack, mostInFlight, type CrawlDeps, type Heartbeat } from '../records/deps.js';
import { isPage, type Fetcher, type Fetching } from '../records/fetcher.js';
import { cutShortRow } from '../records/read-pages.js';
import { askEach, compareWith, sinceScheduled } from '../attempt/ask-each.js';
import { landAttempt, type Ended } from '../attempt/land-attempt.js';
import type { Said } from '../judge/judge.js';
import { kindOf, NoRoomError } from '../judge/kinds.js';
import { countFailed, findAnswered, isAnswered } from './other-records.js';

/** What one attempt fetches, and for which run. */
export interface ChunkWork {
  deps: CrawlDeps;
  ctx: RunContext;
  heartbeat: Heartbeat;
  /** The part of the chunk. */
  target: PartTarget;
  fetcher: Fetcher;
  entities: readonly string[];
  /** What the warehouse knows about entities (`DueEntity`). */
  about?: ReadonlyMap<string, string | null>;
  /** The limits of `CrawlChunkInput`. Left out: none. */
  concurrency?: number | null;
  budget?: number | null;
  refused?: readonly string[];
  /** Whether to land a row for an entity whose route the API refuses. Default: true. */
  landsRefusals?: boolean;
}

/**
 * One attempt to fetch the entities of a chunk that are not landed yet. An entity is a company, a tender, a question, a
 * lookup list or a day. `Judge` decides what an error means. Entities that fail repeatedly are filed as failed.
 */
export class ChunkAttempt {
  /** Entities that no earlier attempt has landed. */
  readonly #open: readonly string[];
  readonly #routes: Routes;
  /** Entities that were requested in this attempt, for themselves or for comparison. */
  readonly #asked = new Map<string, Promise<unknown>>();
  readonly #answered = new Set<string>();
  /** Landed pages of entities that are not finished, by entity and row kind. */
  readonly #pages = new Map<string, Map<string, NewRow>>();
  /** An entity that the API has answered; null if none is known. */
  #known: string | null;
  /** Whether the last comparison was with a record that the API had answered before. */
  #comparedWithAnswered = false;
  readonly #mostUnwritten: number;

  private constructor(
    private readonly work: ChunkWork,
    private readonly writer: PartWriter,
    /** Makes the keyed hashes that replace texts about people. Null if answers may be landed unchanged. */
    private readonly fingerprint: Fingerprint | null,
  ) {
    this.#routes = new Routes(work.refused ?? []);
    const finished = new Set<string | null>();
    for (const row of writer.rows) {
      if (!isPage(row)) finished.add(row.entity_id);
      else if (row.status !== 0) this.#pagesOf(row.entity_id ?? '').set(row.row_kind, row);
    }
    this.#open = work.entities.filter((entity) => !finished.has(entity));
    this.#known = writer.rows.find(isAnswered)?.entity_id ?? null;
    this.#mostUnwritten = heldBack(mostInFlight(work.deps));
  }

  /** Opens the chunk with the answers of earlier attempts. */
  static async open(work: ChunkWork): Promise<ChunkAttempt> {
    const { deps, target, fetcher } = work;
    // Without `personalData: contacts`, answers that may describe people are not landed unchanged.
    const isUnchanged = fetcher.withoutPersonalData === undefined || keepsContacts(deps.config);
    const fingerprint = isUnchanged ? null : await openFingerprint(deps.data);
    return new ChunkAttempt(work, await PartWriter.open(target), fingerprint);
  }

  /** How many entities were filed as failed or read only in part, by this attempt or an earlier one. */
  get failed(): number {
    return countFailed(this.writer.rows);
  }

  /** Entities without an answer that holds a record. */
  get missing(): string[] {
    const read = new Set(this.writer.rows.filter(isRecord).map(({ entity_id }) => entity_id));
    return this.work.entities.filter((entity) => !read.has(entity));
  }

  /** The refusals of routes that the API key may not use. Empty for streams with a single route. */
  get refusedRoutes(): ApiError[] {
    return this.#known === null ? this.#routes.refused : this.#routes.closed;
  }

  /**
   * Whether a refusal surely concerns all records: the API refused a record that it had answered before, or answered
   * only `limit` for hours.
   */
  isSure(refusal: ApiError): boolean {
    return kindOf(refusal) === 'limit' || this.#comparedWithAnswered;
  }

  /**
   * Fetches and lands the open entities. Commits the answers even if the API refuses the route.
   * @returns the entities that were filed as failed, with their errors
   * @throws as `askEach`
   */
  async land(): Promise<Ended<ReadonlyMap<string, ApiError>>> {
    return landAttempt(this.work, this.work.target, this.writer, async (booking) => this.#run(booking));
  }

  async #run(booking: RequestLog): Promise<ReadonlyMap<string, ApiError>> {
    const { deps, heartbeat, fetcher } = this.work;
    const failed = await askEach(deps, heartbeat, {
      of: fetcher.manyRoutes ? 'questions' : 'records',
      items: this.#open,
      limit: mostInFlight(deps, this.work.concurrency),
      known: this.#known !== null,
      ask: (entity) => this.#ask(entity, booking),
      gone: async (entity, error) => {
        await this.writer.append(this.#rowOfError(error, entity, 'gone'));
        this.#noteAnswer(entity);
      },
      other: (failing) => this.#askAnother(failing, booking),
      silentMs: () => this.#silentMs(),
    });
    for (const [entity, fault] of failed)
      if (this.work.landsRefusals !== false || kindOf(fault) !== 'refused')
        await this.writer.append(this.#rowOfError(fault, entity, 'failed'));
    return failed;
  }

  async #ask(entity: string, booking: RequestLog): Promise<void> {
    const { heartbeat, entities, target } = this.work;
    const before = this.#asked.get(entity);
    if (before !== undefined) await before.catch(() => undefined);
    if (this.#answered.has(entity)) return;
    this.#requireRoom(booking);
    try {
      await this.#land(entity, booking);
    } finally {
      const total = entities.length;
      const done = total - this.#open.length + this.#answered.size;
      heartbeat.report({ step: target.stream, done, total, requests: booking.requests });
    }
  }

  /** @throws NoRoomError when the run has used its budget of requests */
  #requireRoom({ requests }: RequestLog): void {
    if (requests >= (this.work.budget ?? Infinity)) throw new NoRoomError();
  }

  #noteAnswer(entity: string): void {
    this.#answered.add(entity);
    this.#known ??= entity;
  }

  #land(entity: string, booking: RequestLog): Promise<void> {
    const landing = this.#readAll(entity, booking);
    this.#asked.set(entity, landing);
    return landing;
  }

  /**
   * Fetches and lands all rows of an entity. Lands each page when the next row is there, because only the last row gets
   * another kind. After an error, the next try does not request the landed pages again.
   */
  async #readAll(entity: string, booking: RequestLog): Promise<void> {
    const { writer } = this;
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
    let gap: string | null | void;
    try {
      gap = await this.#fetch(entity, { add, page });
    } catch (error) {
      // Keep the last page, too: the next try does not request it again.
      if (last !== undefined && isPage(last)) add(last);
      throw error;
    }
    last ??= [...pages.values()].at(-1);
    if (last !== undefined) {
      if (typeof gap === 'string') writer.add(cutShortRow(last, gap), this.#mostUnwritten);
      const row = this.#withoutPeople({ ...last, row_kind: last.row_kind.replace(/^page-/, 'last-') });
      await (this.work.fetcher.costly ? writer.keep(row) : writer.add(row, this.#mostUnwritten));
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
    const { deps, ctx, heartbeat, fetcher } = this.work;
    const about = this.work.about?.get(entity) ?? null;
    const at = { client: deps.client, ctx, signal: heartbeat.signal, routes: this.#routes, deps, about };
    return fetcher.fetch(entity, { ...at, ...rows });
  }

  /** Removes from a row what identifies people, unless the chunk may land them. */
  #withoutPeople(row: NewRow): NewRow {
    const { fingerprint, work } = this;
    const { withoutPersonalData } = work.fetcher;
    if (fingerprint === null || withoutPersonalData === undefined) return row;
    return { ...row, body: withoutPersonalData(textOf(row), fingerprint, row.request_key) };
  }

  /**
   * Makes the row of an error. If the answer may describe people, the row holds only the error's message, because the
   * answer may name them.
   */
  #rowOfError(error: ApiError, entity: string, rowKind: string): NewRow {
    const row = rowOfError(error, entity, rowKind);
    return this.fingerprint === null ? row : { ...row, body: error.message };
  }

  /** Milliseconds since the last landed row, or else since the activity was first scheduled. */
  #silentMs(): number {
    const { deps, heartbeat } = this.work;
    const last = this.writer.rows.at(-1);
    return last ? deps.clock.now().getTime() - Date.parse(last.fetched_at) : sinceScheduled(heartbeat);
  }

  /**
   * Requests a record that the API answered before, in this chunk, this run or an earlier run. If no such record is
   * known, or if requests of the stream are costly, requests up to two records that were not requested yet.
   */
  async #askAnother(failing: ReadonlySet<string>, booking: RequestLog): Promise<Said> {
    const { deps, fetcher, target } = this.work;
    if (!fetcher.costly) {
      this.#known ??= await findAnswered(deps.data, target.stream, failing);
      this.#comparedWithAnswered = this.#known !== null;
      if (this.#known !== null) return this.#compareWith(this.#known);
    }
    const untried = this.#open.filter((entity) => !this.#asked.has(entity));
    let said: Said = 'none';
    for (const entity of new Set([untried.at(-1), untried[untried.length >> 1]])) {
      if (entity === undefined) continue;
      const answer = await compareWith(() => this.#land(entity, booking));
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
