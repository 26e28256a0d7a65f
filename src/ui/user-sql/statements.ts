import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { errorMessage, invalidInput } from '../../core/errors.js';

/** Longest query text in characters. */
export const MAX_LENGTH = 200_000;

/** @throws TidemarkError `InvalidInput` for a text longer than `MAX_LENGTH` */
export function checkLength(sql: string): void {
  if (sql.length > MAX_LENGTH) throw invalidInput('The query is too long.', 'Shorten it to 200,000 characters.');
}

/**
 * Prepares the last statement of a text, and runs the statements before it. All must only read.
 * @throws TidemarkError `InvalidInput` for an empty text, or a statement that is no query
 */
export async function prepareQuery(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  checkLength(sql);
  const { StatementType } = await import('@duckdb/node-api');
  // PREPARE and EXECUTE are missing: they would hide the kind of a statement.
  const reading = new Set([StatementType.SELECT, StatementType.EXPLAIN, StatementType.PRAGMA, StatementType.RELATION]);
  const none = invalidInput('There is no statement.', 'Write a query, such as FROM marts.companies.');
  const statements = await connection.extractStatements(sql).catch((error: unknown) => {
    // DuckDB's client fails with this message for a text without a statement.
    throw errorMessage(error) === 'Error in native callback' ? none : error;
  });
  if (statements.count === 0) throw none;
  for (let i = 0; ; i++) {
    const prepared = await statements.prepare(i);
    if (!reading.has(prepared.statementType)) {
      const kind = StatementType[prepared.statementType] ?? 'This';
      prepared.destroySync();
      throw invalidInput(
        `${kind} statements do not run here: the explorer only reads.`,
        'Use SELECT, FROM, WITH, VALUES, SHOW, DESCRIBE, SUMMARIZE or EXPLAIN.',
      );
    }
    if (i === statements.count - 1) return prepared;
    await prepared.run();
    prepared.destroySync();
  }
}
