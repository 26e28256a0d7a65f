import type { DuckDBConnection, DuckDBDataChunk, DuckDBType } from '@duckdb/node-api';
import {
  faultOf,
  IDENTIFIER_KINDS,
  sameIdentifier,
  type Given,
  type IdentifierKind,
} from '../../base/identifiers/identifiers.js';

/*
 * Functions for the macros of sql/macros/match.sql. They call src/base/identifiers, so that lists, searches and the warehouse
 * compare identifiers in the same way.
 */

type Text = string | null;

/** Compares two identifiers. True: equal; false: different; null: not known, or one of the two is null. */
function identifierSame(
  kind: IdentifierKind,
  one: Text,
  country: Text,
  other: Text,
  otherCountry: Text,
): boolean | null {
  if (one === null || other === null) return null;
  const result = sameIdentifier(kind, { value: one, country }, { value: other, country: otherCountry });
  return result === 'unknown' ? null : result === 'equal';
}

/** Returns what is wrong with an identifier; null if nothing is known. */
function identifierFault(kind: IdentifierKind, value: Text, country: Text): Text {
  const given: Given | null = value === null ? null : { value, country };
  return given === null ? null : faultOf(kind, given);
}

/**
 * Adds the functions to the DuckDB instance of a connection:
 * - `identifier_same(kind, one, country, other, country_of_other)` returns BOOLEAN
 * - `identifier_fault(kind, value, country)` returns VARCHAR
 */
export async function addIdentifierFunctions(connection: DuckDBConnection): Promise<void> {
  const { BOOLEAN, DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api');
  const add = (
    name: string,
    returnType: DuckDBType,
    values: number,
    call: (kind: IdentifierKind, texts: Text[]) => boolean | Text,
  ): void => {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        returnType,
        parameterTypes: Array.from({ length: values + 1 }, () => VARCHAR),
        // DuckDB would not call the function for NULL, and a country may be NULL.
        specialHandling: true,
        mainFunction(_info, chunk, output) {
          const columns = columnsOf(chunk, values + 1);
          for (let row = 0; row < chunk.rowCount; row++) {
            const [kind, ...texts] = columns.map((column) => column.getItem(row) as Text);
            output.setItem(row, call(checkedKind(kind), texts));
          }
          output.flush();
        },
      }),
    );
  };
  add('identifier_same', BOOLEAN, 4, (kind, [one = null, country = null, other = null, otherCountry = null]) =>
    identifierSame(kind, one, country, other, otherCountry),
  );
  add('identifier_fault', VARCHAR, 2, (kind, [value = null, country = null]) => identifierFault(kind, value, country));
}

function columnsOf(chunk: DuckDBDataChunk, count: number): ReturnType<DuckDBDataChunk['getColumnVector']>[] {
  return Array.from({ length: count }, (_, i) => chunk.getColumnVector(i));
}

function checkedKind(kind: Text | undefined): IdentifierKind {
  const known = IDENTIFIER_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`unknown kind of identifier: ${kind}`);
  return known;
}
