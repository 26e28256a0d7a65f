import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { errorMessage } from '../../base/errors.js';
import { asWarehouseError, ModelFailedError } from './errors.js';
import { addFunctions } from './functions.js';
import { openInstance } from './instance.js';
import { splitStatements } from './split-statements.js';
import type { SqlFile } from './sql-files.js';
import { streamRows } from './stream-rows.js';
import { COUNT_CHANGES, ledgerWrite } from './table-changes.js';

/** The values of the parameters of a statement, which are written as `$name`. */
export type SqlParams = Record<string, DuckDBValue>;

/**
 * A DuckDB connection. Its errors say what to do if the disk is full, the memory limit is reached or the file is
 * locked. Rows are plain objects, with BIGINT and DATE values as text.
 */
export class Database {
  readonly file: string;
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance | undefined;
  #countsChanges = false;
  /** Tables that the open transaction changed. Undefined outside of `transaction`. */
  #changed: Set<string> | undefined;

  constructor(connection: DuckDBConnection, file: string, instance?: DuckDBInstance) {
    this.#connection = connection;
    this.#instance = instance;
    this.file = file;
  }

  /**
   * Opens a DuckDB file, or `:memory:`. `closeSync` closes it.
   * @param options settings of DuckDB
   * @param name name of the database in errors
   */
  static async open(file: string, options: Record<string, string>, name = file): Promise<Database> {
    const instance = await openInstance(file, options);
    return new Database(await instance.connect(), name, instance);
  }

  /** Adds the functions that compare identifiers and check bodies (functions.ts). */
  async addFunctions(): Promise<void> {
    await addFunctions(this.#connection);
  }

  /** From now on, records the changes of tables in the schemas `ledger` and `base` (src/warehouse/duckdb/table-changes.ts). */
  countChanges(): void {
    this.#countsChanges = true;
  }

  async run(sql: string, params?: SqlParams): Promise<void> {
    try {
      await this.#runCounted(sql, params);
    } catch (error) {
      throw asWarehouseError(error, this.file);
    }
  }

  async rows<Row extends object = Record<string, unknown>>(sql: string, params?: SqlParams): Promise<Row[]> {
    try {
      const reader = await this.#connection.runAndReadAll(sql, params);
      return reader.getRowObjectsJson() as Row[];
    } catch (error) {
      throw asWarehouseError(error, this.file);
    }
  }

  /**
   * Yields the rows in chunks, with values as DuckDB's client returns them (see `streamRows`). Read all chunks before
   * you run another query.
   */
  async *stream(sql: string): AsyncGenerator<DuckDBValue[][]> {
    try {
      yield* (await streamRows(this.#connection, sql)).chunks;
    } catch (error) {
      throw asWarehouseError(error, this.file);
    }
  }

  /** Returns the first column of the first row as a number; 0 if there is no row. */
  async count(sql: string, params?: SqlParams): Promise<number> {
    const [row] = await this.rows(sql, params);
    return Number(Object.values(row ?? {})[0] ?? 0);
  }

  /**
   * Runs a file of `sql/`, statement by statement.
   * @throws ModelFailedError with the file and the number of the failed statement
   */
  async runFile(file: SqlFile): Promise<void> {
    let position = 0;
    try {
      for (const statement of splitStatements(file.text)) {
        await this.#runCounted(statement);
        position++;
      }
    } catch (error) {
      const known = asWarehouseError(error, this.file);
      if (known !== error) throw known;
      throw new ModelFailedError(
        `sql/${file.name}, statement ${position + 1}: ${errorMessage(error)}`,
        'Correct that file. The warehouse was not changed.',
        { cause: error },
      );
    }
  }

  /**
   * Runs `work` in one transaction. Rolls back if `work` throws.
   * @param uncounted tables whose changes `work` itself records
   */
  async transaction<T>(work: () => Promise<T>, uncounted: ReadonlySet<string> = new Set()): Promise<T> {
    await this.run('BEGIN TRANSACTION');
    this.#changed = new Set();
    try {
      const result = await work();
      await this.#count(new Set([...this.#changed].filter((table) => !uncounted.has(table))));
      await this.run('COMMIT');
      return result;
    } catch (error) {
      // After a failed commit, the rollback fails, too. Ignore its error and throw the first one.
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.#changed = undefined;
    }
  }

  /**
   * Runs a statement. If it changes a table of `ledger` or `base`, records the change: in a transaction before the commit,
   * else before the statement. So a kill never leaves a change without a record.
   */
  async #runCounted(sql: string, params?: SqlParams): Promise<void> {
    const write = this.#countsChanges ? ledgerWrite(sql) : undefined;
    if (write !== undefined && this.#changed === undefined) await this.#count(new Set([write.table]));
    const { rowsChanged } = await this.#connection.run(sql, params);
    if (write !== undefined && (write.always || rowsChanged > 0)) this.#changed?.add(write.table);
  }

  async #count(tables: ReadonlySet<string>): Promise<void> {
    if (tables.size === 0) return;
    await this.#connection.run(COUNT_CHANGES, { tables: JSON.stringify([...tables]) });
  }

  closeSync(): void {
    this.#connection.closeSync();
    this.#instance?.closeSync();
  }
}
