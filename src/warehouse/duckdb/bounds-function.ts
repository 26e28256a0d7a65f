import type { DuckDBConnection } from '@duckdb/node-api';
import { findExcess } from '../../base/json/json-bounds.js';

/**
 * Adds the function `json_excess(body)` to the DuckDB instance of a connection. It returns the reason of the reject of
 * a body that exceeds a bound (src/base/json/json-bounds.ts), else NULL. The load calls it before any JSON function, because
 * deeply nested JSON would overflow the stack of DuckDB.
 */
export async function addBoundsFunction(connection: DuckDBConnection): Promise<void> {
  const { DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api');
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'json_excess',
      returnType: VARCHAR,
      parameterTypes: [VARCHAR],
      mainFunction(_info, chunk, output) {
        const bodies = chunk.getColumnVector(0);
        for (let row = 0; row < chunk.rowCount; row++) {
          const body = bodies.getItem(row) as string | null;
          output.setItem(row, body === null ? null : findExcess(body));
        }
        output.flush();
      },
    }),
  );
}
