import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';

/** The rows of a query, as DuckDB returns them. */
export interface RowStream {
  columns: string[];
  types: DuckDBType[];
  /** Rows in chunks of about 2,048. Read all, or stop early, before the connection runs another query. */
  chunks: AsyncIterable<DuckDBValue[][]>;
}

/** Name of the added column. It must differ from all columns of a query. */
const MARK = 'tidemark: last row';

/**
 * Streams the rows of a query, in their order. Fails if an error or an interrupt ends the query before its last row:
 * DuckDB's client reports both as the normal end of a stream. So this function adds one row at the end, and expects it.
 * DuckDB keeps the order of `UNION ALL`.
 * @throws Error of DuckDB, for a wrong query at once, otherwise while the chunks are read
 */
export async function streamRows(
  connection: DuckDBConnection,
  sql: string,
  params: Record<string, DuckDBValue> = {},
): Promise<RowStream> {
  // A parser error should show the query as the user wrote it.
  await connection.extractStatements(sql);
  const query = sql.trim().replace(/;+$/, '');
  const marked = await connection
    .prepare(`SELECT *, false AS "${MARK}" FROM (${query}\n) UNION ALL BY NAME SELECT true AS "${MARK}"`)
    .catch(() => null);
  // EXPLAIN, PRAGMA, several statements, and wrong queries. Their results are small.
  if (marked === null) return describe(await connection.run(sql, params), 0, readAll);
  marked.bind(params);
  return describe(await marked.stream(), 1, async function* (result) {
    let complete = false;
    for await (const rows of readAll(result)) {
      complete = rows.at(-1)?.at(-1) === true;
      if (complete) rows.pop();
      for (const row of rows) row.pop();
      if (rows.length > 0) yield rows;
    }
    if (complete) return;
    // Find the error: run the query again, without its rows.
    await connection.run(`EXPLAIN ANALYZE ${query}`, params);
    throw new Error('The query ended before its last row.');
  });
}

function describe(
  result: DuckDBResult,
  hidden: number,
  read: (result: DuckDBResult) => AsyncIterable<DuckDBValue[][]>,
): RowStream {
  const shown = result.columnCount - hidden;
  return {
    columns: result.deduplicatedColumnNames().slice(0, shown),
    types: result.columnTypes().slice(0, shown),
    chunks: read(result),
  };
}

async function* readAll(result: DuckDBResult): AsyncGenerator<DuckDBValue[][]> {
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield chunk.getRows();
  }
}
