import { readSqlFile } from '../../duckdb/sql-files.js';
import type { SearchHit } from '../../../schemas/explorer/api.js';
import { rankHits, searchWords } from './search-words.js';
import type { Read } from './reader.js';

/** Hits to read before ranking: some more than a page shows. */
const CANDIDATES = 60;

/**
 * Finds companies by words of their name, brands or numbers. Holds a text for each company in memory, with what a hit
 * shows. The largest companies are first, so a query can stop after a few hits. Until the texts are ready, it reads the
 * published table, which takes much longer.
 */
export class SearchIndex {
  readonly #read: Read;
  readonly #tables: ReadonlySet<string>;
  #building: Promise<void> | undefined;
  #ready = false;

  constructor(read: Read, tables: ReadonlySet<string>) {
    this.#read = read;
    this.#tables = tables;
  }

  /** Whether the texts are in memory. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Starts to prepare the texts. Does nothing at the second call. */
  begin(): void {
    this.#building ??= this.#build().then(
      () => void (this.#ready = true),
      () => undefined,
    );
  }

  /** Resolves when the preparation has ended. */
  async settled(): Promise<void> {
    await this.#building;
  }

  /** Finds companies, best first; at most `limit`. Each word must begin a word of the company's texts. */
  async find(text: string, limit: number, signal?: AbortSignal): Promise<SearchHit[]> {
    const words = searchWords(text);
    if (words.length === 0 || !this.#tables.has('core.companies')) return [];
    const params = Object.fromEntries(words.map((word, i) => [`w${i}`, ` ${word}`]));
    const all = words.map((_, i) => `contains(text, $w${i})`).join(' AND ');
    const sql = this.#ready
      ? `SELECT * EXCLUDE (text) FROM memory.search.texts WHERE ${all} LIMIT ${CANDIDATES}`
      : this.#fromTables(all);
    const hits = await this.#read(async (reader) => reader.rows<SearchHit>(sql, params), signal);
    return rankHits(hits, words).slice(0, limit);
  }

  /** The same query on the published tables. */
  #fromTables(condition: string): string {
    const found = `SELECT company_id FROM (${readSqlFile('ui/search-texts.sql').text}) WHERE ${condition} LIMIT ${CANDIDATES}`;
    return `SELECT * FROM (${readSqlFile('ui/search-hits.sql').text}) WHERE company_id IN (${found})`;
  }

  async #build(): Promise<void> {
    if (!this.#tables.has('marts.companies')) return;
    await this.#read(async (reader) => {
      await reader.rows('CREATE SCHEMA memory.search');
      await reader.rows(
        `CREATE TABLE memory.search.texts AS SELECT t.text, h.*
         FROM (${readSqlFile('ui/search-texts.sql').text}) AS t JOIN (${readSqlFile('ui/search-hits.sql').text}) AS h USING (company_id)
         ORDER BY t.size DESC NULLS LAST, company_id`,
      );
    });
  }
}
