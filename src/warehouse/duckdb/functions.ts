import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { faultOf, IDENTIFIER_KINDS, sameIdentifier, type IdentifierKind } from '../../base/identifiers/identifiers.js';
import { escapeUnseen } from '../../base/text/visible-text.js';
import { nodesOf, type Parts, type Structure } from '../shapes/nodes.js';
import { findExcess } from '../../base/json/json-bounds.js';

type Text = string | null;

/**
 * Adds functions to the DuckDB instance of a connection. All their parameters are VARCHAR.
 * - `json_excess(body)` returns the reason of the reject of a body that exceeds a bound (src/base/json/json-bounds.ts), else
 *   NULL. The load calls it before any JSON function, because deeply nested JSON would overflow the stack of DuckDB.
 * - `identifier_same(kind, one, country, other, country_of_other)` compares two identifiers as lists and searches do
 *   (src/base/identifiers). True: equal; false: different; NULL: not known, or one of the two is NULL.
 * - `identifier_fault(kind, value, country)` returns what is wrong with an identifier; NULL if nothing is known.
 * - `drift_nodes(parts, structure)` returns the nodes of a finding of schema drift (src/warehouse/shapes/nodes.ts), as JSON.
 * - `text_visible(text)` escapes invisible characters (src/base/text/visible-text.ts).
 */
export async function addFunctions(connection: DuckDBConnection): Promise<void> {
  const { BOOLEAN, DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api');
  const add = (
    name: string,
    returnType: DuckDBType,
    parameters: number,
    call: (texts: Text[]) => boolean | Text,
  ): void => {
    const mainFunction: Parameters<typeof DuckDBScalarFunction.create>[0]['mainFunction'] = (_info, chunk, output) => {
      const columns = Array.from({ length: parameters }, (_, i) => chunk.getColumnVector(i));
      for (let row = 0; row < chunk.rowCount; row++)
        output.setItem(row, call(columns.map((column) => column.getItem(row) as Text)));
      output.flush();
    };
    const parameterTypes = Array.from({ length: parameters }, () => VARCHAR);
    // With `specialHandling`, DuckDB calls the function for NULL, too.
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({ name, returnType, parameterTypes, specialHandling: true, mainFunction }),
    );
  };
  add('json_excess', VARCHAR, 1, ([body = null]) => (body === null ? null : findExcess(body)));
  add('identifier_same', BOOLEAN, 5, ([kind, one = null, country = null, other = null, otherCountry = null]) => {
    if (one === null || other === null) return null;
    const result = sameIdentifier(kindOf(kind), { value: one, country }, { value: other, country: otherCountry });
    return result === 'unknown' ? null : result === 'equal';
  });
  add('identifier_fault', VARCHAR, 3, ([kind, value = null, country = null]) =>
    value === null ? null : faultOf(kindOf(kind), { value, country }),
  );
  add('drift_nodes', VARCHAR, 2, ([parts = null, structure = null]) =>
    JSON.stringify(nodesOf(JSON.parse(parts ?? '[]') as Parts, JSON.parse(structure ?? 'null') as Structure | null)),
  );
  add('text_visible', VARCHAR, 1, ([text = null]) => (text === null ? null : escapeUnseen(text)));
}

function kindOf(kind: Text | undefined): IdentifierKind {
  const known = IDENTIFIER_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`unknown kind of identifier: ${kind}`);
  return known;
}
