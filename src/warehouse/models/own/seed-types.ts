import type { Database } from '../../duckdb/database.js';
import { identifier, quote } from '../../duckdb/sql-files.js';
import type { Seed } from './own-object.js';

/** Types of the columns of seeds, for messages. */
export const SEED_TYPES =
  'VARCHAR, BOOLEAN, INTEGER, BIGINT, DOUBLE, DECIMAL(p,s), DATE, TIMESTAMP (no zone), TIMESTAMPTZ';

interface Form {
  /** Regular expression for all texts of the type. DuckDB alone would turn 1.5 into the INTEGER 2. */
  pattern: string;
  what: string;
}

const WHOLE: Form = { pattern: '[+-]?[0-9]+', what: 'a whole number' };
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const TIME = `${DAY}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?`;
const FORMS: Readonly<Record<string, Form>> = {
  BOOLEAN: { pattern: '(?i)true|false', what: 'true or false' },
  INTEGER: WHOLE,
  BIGINT: WHOLE,
  DOUBLE: {
    pattern: '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?',
    what: 'a number with a decimal point, such as 1.5',
  },
  DATE: { pattern: DAY, what: 'a date such as 2026-11-30' },
  TIMESTAMP: { pattern: TIME, what: 'a time such as 2026-11-30T08:15:00' },
  TIMESTAMPTZ: { pattern: `${TIME}(Z|[+-][0-9]{2}(:?[0-9]{2})?)`, what: 'a time such as 2026-11-30T08:15:00Z' },
};

/** Whether columns of seeds may have this type. The type is written in capitals and without spaces. */
export function isSeedType(type: string): boolean {
  return type === 'VARCHAR' || formOf(type) !== undefined;
}

function formOf(type: string): Form | undefined {
  const [, precision, scale] = /^DECIMAL\(([1-9][0-9]?),([0-9][0-9]?)\)$/.exec(type) ?? [];
  if (precision === undefined || scale === undefined) return Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
  if (Number(precision) > 38 || Number(scale) > Number(precision)) return undefined;
  return { pattern: `[+-]?[0-9]+([.][0-9]{0,${scale}})?`, what: `a number with at most ${scale} decimal places` };
}

/** Loads a seed into its temporary table. Each value must have the type of its column (`findWrongValues`). */
export async function createSeed(db: Database, { name, columns, rows }: Seed): Promise<void> {
  const values = [...columns].map(([column, type], i) => `CAST(cells[${i + 1}] AS ${type}) AS ${identifier(column)}`);
  await db.run(
    `CREATE OR REPLACE TEMP TABLE ${name} AS SELECT ${values.join(', ')}
     FROM (SELECT unnest(from_json(CAST($rows AS JSON), '[["VARCHAR"]]')) AS cells)`,
    { rows: JSON.stringify(rows.map(({ cells }) => cells)) },
  );
}

/** Finds the values of a seed that do not have the type of their column. One phrase each, sorted by line. */
export async function findWrongValues(db: Database, { columns, rows }: Seed): Promise<string[]> {
  const checks = [...columns].flatMap(([column, type], i) => {
    const form = formOf(type);
    if (form === undefined) return [];
    const value = `cells[${i + 1}]`;
    const cast = `TRY_CAST(${value} AS ${type})`;
    const holds = type === 'DOUBLE' ? `isfinite(${cast})` : `${cast} IS NOT NULL`;
    return [
      `SELECT line, ${quote(column)} AS name, ${value} AS value, ${quote(form.what)} AS what, ${quote(type)} AS type
       FROM given WHERE ${value} IS NOT NULL AND NOT coalesce(regexp_full_match(${value}, ${quote(form.pattern)}) AND ${holds}, false)`,
    ];
  });
  if (checks.length === 0 || rows.length === 0) return [];
  const found = await db.rows<Record<'line' | 'name' | 'value' | 'what' | 'type', string>>(
    `WITH given AS (
       SELECT unnest(from_json(CAST($rows AS JSON), '[{"line": "BIGINT", "cells": ["VARCHAR"]}]'), max_depth := 2)
     )
     ${checks.join(' UNION ALL ')} ORDER BY line, name`,
    { rows: JSON.stringify(rows) },
  );
  return found.map(
    ({ line, name, value, what, type }) =>
      `line ${line}: ${JSON.stringify(value.slice(0, 60))} in column ${name} is not ${what} (${type})`,
  );
}
