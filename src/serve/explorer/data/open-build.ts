import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { NotPublishedError } from '../../../warehouse/duckdb/errors.js';
import { openInstance } from '../../../warehouse/duckdb/instance.js';
import { toPlain } from '../../../warehouse/duckdb/plain-value.js';
import { quote } from '../../../warehouse/duckdb/sql-files.js';
import { QueryProcesses } from '../user-sql/query-processes.js';
import type { Reader } from '../../../warehouse/builds/reader.js';
import { SearchIndex } from './search-index.js';

/**
 * A published build, opened read-only for the queries of the pages. Queries of people run in processes of
 * their own.
 */
export class OpenBuild {
  /** Path of the DuckDB file, without symlinks. */
  readonly file: string;
  /** Name of the build, such as `20261120T020000123Z-<run>`. */
  readonly name: string;
  /** Tables of the file, as `schema.table`. */
  readonly tables: ReadonlySet<string>;
  readonly search: SearchIndex;
  /** Runs queries of people. */
  readonly queries: QueryProcesses;
  readonly #pages: DuckDBInstance;
  #users = 0;
  #retired = false;

  private constructor(
    file: string,
    name: string,
    pages: DuckDBInstance,
    queries: QueryProcesses,
    tables: ReadonlySet<string>,
  ) {
    this.file = file;
    this.name = name;
    this.tables = tables;
    this.#pages = pages;
    this.queries = queries;
    this.search = new SearchIndex(async (work, signal) => this.read(work, signal), tables);
  }

  /**
   * Opens the file of a build.
   * @param scratch private folder, the only one to which queries of users may write
   * @throws NotPublishedError when the file cannot be opened
   */
  static async open(file: string, name: string, scratch: string): Promise<OpenBuild> {
    let pages: DuckDBInstance | undefined;
    try {
      // The search index lies in memory, next to the attached file.
      pages = await openInstance(':memory:', { temp_directory: scratch });
      const connection = await pages.connect();
      await connection.run(`ATTACH ${quote(file)} AS market (READ_ONLY)`);
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT schema_name || '.' || table_name FROM duckdb_columns() WHERE database_name = 'market' AND NOT internal`,
      );
      connection.closeSync();
      const tables = new Set(found.getRows().map(([table]) => String(table)));
      return new OpenBuild(file, name, pages, new QueryProcesses(file, scratch), tables);
    } catch (error) {
      pages?.closeSync();
      throw new NotPublishedError(file, error);
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    const connection = await this.#pages.connect();
    await connection.run('USE market');
    await connection.run(`SET TimeZone = 'UTC'`);
    return connection;
  }

  /** See {@link Read}. */
  async read<T>(work: (reader: Reader) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const connection = await this.#connect();
    const stop = (): void => connection.interrupt();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await work({
        async rows<Wanted extends object>(sql: string, params: Record<string, DuckDBValue> = {}) {
          const result = await connection.runAndReadAll(sql, params);
          const columns = result.deduplicatedColumnNames();
          return result
            .getRows()
            .map((row) => Object.fromEntries(columns.map((name, i) => [name, toPlain(row[i] ?? null)])) as Wanted);
        },
      });
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.closeSync();
    }
  }

  /** Counts one more user. */
  hold(): void {
    this.#users++;
  }

  /** Counts one user less. The last user of a retired build closes it. */
  release(): void {
    this.#users--;
    this.#closeIfUnused();
  }

  /** Closes the build when its last user releases it. */
  retire(): void {
    this.#retired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#retired || this.#users > 0) return;
    this.#users = Infinity;
    void this.#close();
  }

  async #close(): Promise<void> {
    await this.search.stop();
    this.#pages.closeSync();
    this.queries.close();
  }
}
