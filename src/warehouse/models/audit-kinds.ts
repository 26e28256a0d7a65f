import { z } from 'zod';
import { identifier, quote } from '../duckdb/sql-files.js';

const Severity = z.enum(['warn', 'error']);
const Value = z.union([z.string(), z.number(), z.boolean()]);

/** An audit written as SQL: a query that selects wrong rows. */
const SqlAudit = z.strictObject({ name: z.string(), severity: Severity, sql: z.string() });

/** An audit with parameters. Each has exactly one of these keys. */
const Kinds = z.strictObject({
  /** The column has only these values. NULL passes. */
  accepted_values: z.strictObject({ column: z.string(), values: z.array(Value).min(1) }).optional(),
  /** The column lies between two bounds, both included. NULL passes. */
  range: z
    .strictObject({ column: z.string(), min: z.number().optional(), max: z.number().optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'needs `min`, `max` or both')
    .optional(),
  /** Each value of the column is in a column of another table. NULL passes. */
  relationships: z.strictObject({ column: z.string(), to: z.string(), field: z.string() }).optional(),
  /** The latest date or time in the column is at most so old. An empty table fails. */
  freshness: z
    .strictObject({
      column: z.string(),
      within: z.string().regex(/^[1-9]\d*[hd]$/, 'must be a duration such as 36h or 2d'),
    })
    .optional(),
});
type Kind = keyof z.infer<typeof Kinds>;

const KindAudit = Kinds.extend({ name: z.string().optional(), severity: Severity.default('error') }).refine(
  (audit) => KINDS.filter((kind) => audit[kind] !== undefined).length === 1,
  'an audit needs `name`, `severity` and `sql`, or exactly one of accepted_values, range, relationships and freshness',
);
const KINDS = Object.keys(Kinds.shape) as Kind[];

/** Audits as the header of a model states them. */
export const HeaderAudit = z.union([SqlAudit, KindAudit]);
type HeaderAudit = z.infer<typeof HeaderAudit>;

/** An audit of a model: a query that must return no rows. */
export interface Audit {
  name: string;
  severity: z.infer<typeof Severity>;
  /** Query that selects wrong rows. The audit passes if it returns none. */
  sql: string;
  /** Kind and parameters, as in the header; missing for an audit written as SQL. */
  test?: { kind: Kind; column: string; [parameter: string]: unknown };
}

/**
 * Turns an audit of a header into a query.
 * @param table Table of the model
 * @param columns Names of its columns
 * @throws RangeError when the table has no such column
 */
export function toAudit(audit: HeaderAudit, table: string, columns: readonly string[]): Audit {
  if ('sql' in audit) return audit;
  const kind = KINDS.find((one) => audit[one] !== undefined)!;
  const { column } = audit[kind]!;
  if (!columns.includes(column)) throw new RangeError(`audit ${kind}: the model has no column ${column}`);
  const { name = `${kind}_${column}`, severity } = audit;
  return { name, severity, sql: queryOf(audit, table), test: { kind, ...audit[kind]! } };
}

function queryOf(audit: Exclude<HeaderAudit, { sql: string }>, table: string): string {
  const { accepted_values: accepted, range, relationships: related, freshness } = audit;
  if (accepted !== undefined) {
    const values = accepted.values
      .map((value) => (typeof value === 'string' ? quote(value) : String(value)))
      .join(', ');
    return `FROM ${table} WHERE ${identifier(accepted.column)} NOT IN (${values})`;
  }
  if (range !== undefined) {
    const column = identifier(range.column);
    const outside = [
      ...(range.min === undefined ? [] : [`${column} < ${range.min}`]),
      ...(range.max === undefined ? [] : [`${column} > ${range.max}`]),
    ];
    return `FROM ${table} WHERE ${outside.join(' OR ')}`;
  }
  if (related !== undefined) {
    const column = identifier(related.column);
    return `SELECT own.* FROM ${table} AS own ANTI JOIN ${related.to} AS other ON other.${identifier(related.field)} = own.${column} WHERE own.${column} IS NOT NULL`;
  }
  const { column, within } = freshness!;
  const interval = `INTERVAL ${within.slice(0, -1)} ${within.endsWith('h') ? 'HOUR' : 'DAY'}`;
  const latest = `max(CAST(${identifier(column)} AS TIMESTAMPTZ))`;
  return `SELECT ${latest} AS latest FROM ${table} HAVING coalesce(${latest} < now() - ${interval}, true)`;
}
