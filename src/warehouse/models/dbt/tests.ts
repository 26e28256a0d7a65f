import { identifier, quote } from '../../duckdb/sql-files.js';
import type { TableDocs } from '../docs.js';
import { MODEL_SCHEMAS, type Audit } from '../models.js';

/** A generic test of dbt that checks the same as an audit. */
export interface DbtTest {
  kind: 'unique' | 'not_null' | 'accepted_values' | 'relationships';
  /** Unique within a dbt project: `<schema>_<table>_<audit>`. */
  name: string;
  severity: Audit['severity'];
  /** Column to which the test belongs; null for a test of the whole table. */
  column: string | null;
  /** Without `to`, which differs between sources and models. */
  arguments: Record<string, unknown>;
  /** Table that `relationships` looks into, as `schema.table`. */
  related?: string;
}

/** How old a table may get, in the form of dbt. */
export interface DbtFreshness {
  /** SQL expression: a TIMESTAMP in UTC. */
  loadedAt: string;
  severity: Audit['severity'];
  count: number;
  period: 'hour' | 'day';
}

/** Audits of a table in the forms that dbt knows. */
export interface DbtChecks {
  tests: DbtTest[];
  freshness: DbtFreshness | null;
  /** Audits that no test of dbt itself can express, above all those written as SQL. */
  others: Audit[];
}

// `listAudits` adds these two. Tests of the key replace them.
const KEY_AUDITS = new Set(['key_is_unique', 'key_is_not_null']);

/** Translates the audits of a table into tests and freshness of dbt. Uses only tests that dbt itself brings. */
export function checksOf(table: TableDocs): DbtChecks {
  const prefix = table.table.replace('.', '_');
  const checks: DbtChecks = { tests: testsOfKey(table, prefix), freshness: null, others: [] };
  for (const audit of table.audits.filter(({ name }) => !KEY_AUDITS.has(name))) {
    const { test } = audit;
    if (test === undefined || !isExpressible(test)) checks.others.push(audit);
    else if (test.kind === 'freshness') checks.freshness ??= freshnessOf(audit);
    else checks.tests.push({ name: `${prefix}_${audit.name}`, severity: audit.severity, ...testOf(test) });
  }
  return checks;
}

function testsOfKey({ key, nullable }: TableDocs, prefix: string): DbtTest[] {
  const [only = ''] = key;
  const unique = { kind: 'unique', name: `${prefix}_key_is_unique`, severity: 'error' } as const;
  // In a row, NULL equals NULL, as in Tidemark's audit. dbt's test of a single column skips NULL.
  const isPlain = key.length === 1 && !nullable.includes(only);
  const row = `row(${key.map(identifier).join(', ')})`;
  return [
    isPlain ? { ...unique, column: only, arguments: {} } : { ...unique, column: null, arguments: { column_name: row } },
    ...key
      .filter((column) => !nullable.includes(column))
      .map((column): DbtTest => ({
        kind: 'not_null',
        name: `${prefix}_${column}_is_not_null`,
        severity: 'error',
        column,
        arguments: {},
      })),
  ];
}

/** Returns whether dbt can check the audit: its tables are published, and its values are no templates of dbt. */
function isExpressible(test: NonNullable<Audit['test']>): boolean {
  const schemas: readonly string[] = MODEL_SCHEMAS;
  if (test.kind === 'relationships') return schemas.includes(String(test['to']).split('.')[0] ?? '');
  return !/\{[{%#]/.test(JSON.stringify(test['values'] ?? ''));
}

function testOf(test: NonNullable<Audit['test']>): Omit<DbtTest, 'name' | 'severity'> {
  const { kind, column } = test;
  if (kind === 'accepted_values') {
    const values = test['values'] as unknown[];
    // dbt puts texts between quotes as they are, so a text with a quote is written as SQL.
    if (values.every((value) => typeof value === 'string' && !value.includes("'")))
      return { kind, column, arguments: { values } };
    const literals = values.map((value) => (typeof value === 'string' ? quote(value) : value));
    return { kind, column, arguments: { values: literals, quote: false } };
  }
  if (kind === 'relationships') {
    return { kind, column, arguments: { field: test['field'] }, related: String(test['to']) };
  }
  // dbt brings no test of a range: the comparison must be true or, for NULL, unknown.
  const bounds = [
    ...(test['min'] === undefined ? [] : [`${identifier(column)} >= ${Number(test['min'])}`]),
    ...(test['max'] === undefined ? [] : [`${identifier(column)} <= ${Number(test['max'])}`]),
  ];
  return {
    kind: 'accepted_values',
    column: null,
    arguments: { column_name: `(${bounds.join(' and ')})`, values: [true], quote: false },
  };
}

function freshnessOf({ test, severity }: Audit): DbtFreshness {
  const within = String(test?.['within']);
  return {
    loadedAt: `cast(${identifier(test?.column ?? '')} as timestamptz) at time zone 'UTC'`,
    severity,
    count: Number.parseInt(within, 10),
    period: within.endsWith('h') ? 'hour' : 'day',
  };
}
