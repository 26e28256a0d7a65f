import { readSqlFile } from '../../../warehouse/duckdb/sql-files.js';
import type { SearchHit } from '../../../../schemas/explorer/api.js';
import { rankHits, searchWords } from './search-words.js';
import type { Read } from '../../../warehouse/builds/reader.js';

const NEEDED = ['core.companies', 'marts.companies'];
const TEXTS = readSqlFile('explorer/search-texts.sql').text;

/** Hits to read before ranking: some more than a page shows. */
const CANDIDATES = 60;

/**
 * Finds companies by words of their name, brands or numbers. Holds a text for each company in memory, with what a hit
 * shows. The largest companies are first, so a query can stop after a few hits. A search waits until the texts are ready:
 * a query of the published table would take as long, and delay them. Only if the texts cannot be prepared, for example
 * without enough memory, it reads the table.
 */
export class SearchIndex {
  readonly #read: Read;
  readonly #tables: ReadonlySet<string>;
  #building: Promise<void> | undefined;
  #state: 'new' | 'preparing' | 'ready' | 'failed' = 'new';
  readonly #stop = new AbortController();

  constructor(read: Read, tables: ReadonlySet<string>) {
    this.#read = read;
    this.#tables = tables;
  }

  /** Whether the texts are in memory. */
  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Whether the texts will soon be in memory. */
  get preparing(): boolean {
    return this.#state === 'preparing';
  }

  /** Starts to prepare the texts. Does nothing at the second call. */
  begin(): void {
    if (this.#building !== undefined) return;
    this.#state = 'preparing';
    this.#building = this.#build().then(
      () => void (this.#state = 'ready'),
      () => void (this.#state = 'failed'),
    );
  }

  /** Stops the preparation. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#building;
  }

  /** Finds companies, best first; at most `limit`. Each word must begin a word of the company's texts. */
  async find(text: string, limit: number, signal?: AbortSignal): Promise<SearchHit[]> {
    const words = searchWords(text);
    if (words.length === 0 || !NEEDED.every((table) => this.#tables.has(table))) return [];
    this.begin();
    await Promise.race([this.#building, aborted(signal)]);
    signal?.throwIfAborted();
    const params = Object.fromEntries(words.map((word, i) => [`w${i}`, ` ${word}`]));
    const all = words.map((_, i) => `contains(text, $w${i})`).join(' AND ');
    const sql = this.ready
      ? `SELECT * EXCLUDE (text) FROM memory.search.texts WHERE ${all} LIMIT ${CANDIDATES}`
      : this.#fromTables(all);
    const hits = await this.#read(async (reader) => reader.rows<SearchHit>(sql, params), signal);
    return rankHits(hits, words).slice(0, limit);
  }

  /** The same query on the published tables. */
  #fromTables(condition: string): string {
    return `SELECT * EXCLUDE (text, size) FROM (${TEXTS}) WHERE ${condition} LIMIT ${CANDIDATES}`;
  }

  async #build(): Promise<void> {
    if (!NEEDED.every((table) => this.#tables.has(table))) return;
    await this.#read(async (reader) => {
      await reader.rows('CREATE SCHEMA IF NOT EXISTS memory.search');
      await reader.rows(
        `CREATE TABLE memory.search.texts AS SELECT * EXCLUDE (size) FROM (${TEXTS}) ORDER BY size DESC NULLS LAST, company_id`,
      );
    }, this.#stop.signal);
  }
}

/** Resolves when the signal aborts. */
async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
