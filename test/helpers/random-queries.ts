import { generator } from '../../bench/planner/random.js';

/** A function that DuckDB lists. */
export interface ListedFunction {
  name: string;
  /** `scalar`, `aggregate`, `table`, `macro`, `table_macro` or `pragma`. */
  type: string;
  /** Types of its parameters; null where DuckDB states none. */
  parameters: (string | null)[];
}

/** Lists the functions for `randomQueries`. */
export const LIST_FUNCTIONS = `SELECT function_name AS name, function_type AS type, parameter_types AS parameters
FROM duckdb_functions() GROUP BY ALL ORDER BY ALL`;

const TYPES =
  `BOOLEAN TINYINT INTEGER BIGINT HUGEINT UBIGINT FLOAT DOUBLE DECIMAL(38,10) VARCHAR BLOB DATE TIME TIMESTAMP
  TIMESTAMPTZ INTERVAL UUID BIT JSON INTEGER[] VARCHAR[][] STRUCT(a_INTEGER) MAP(VARCHAR,INTEGER) INTEGER[3]`
    .split(/\s+/)
    .map((type) => type.replace('_', ' '));
const LITERALS = [
  'NULL',
  'true',
  '0',
  '-1',
  '1e308',
  '-0.0',
  "'NaN'::DOUBLE",
  "'-inf'::FLOAT",
  '9223372036854775807',
  '170141183460469231731687303715884105727',
  '9'.repeat(400),
  `${'1'.repeat(300)}.${'7'.repeat(300)}`,
  "''",
  "'a\\0b'",
  "'/etc/passwd'",
  "'s3://bucket/x'",
  "'%s%n%x'",
  "'ß漢🎉\u202e'",
  "DATE '9999-12-31'",
  "DATE '-290307-01-01 (BC)'",
  "TIMESTAMP 'infinity'",
  "INTERVAL '999999 years'",
  "'\\xAA\\x00'::BLOB",
  '[1, NULL, 3]',
  '[]',
  "{'a': 1, 'b': [2]}",
  "MAP {'k': 1}",
  '\'{"a": [1, {"b": null}]}\'::JSON',
  "'(((((((((('",
  "'[a-z'",
  'uuid()',
  'current_timestamp',
];
const ODD = ['x -> x + 1', 'DEFAULT', '*', 'COLUMNS(*)'];
const TABLES = [
  'core.companies',
  'marts.companies',
  'core.financials',
  'ops.runs',
  'ops.nights',
  'meta.receipt',
  'core.missing',
];
const OTHER = [
  `COPY core.companies TO 'out.csv'`,
  `ATTACH ':memory:' AS x`,
  `INSTALL httpfs`,
  `LOAD 'x'`,
  `SET memory_limit = '1TB'`,
  `SET GLOBAL enable_external_access = true`,
  `CREATE TABLE core.x AS SELECT 1`,
  `DELETE FROM core.companies`,
  `DROP SCHEMA core CASCADE`,
  `CHECKPOINT`,
  `VACUUM`,
  `BEGIN`,
  `EXPORT DATABASE 'x'`,
  `USE system`,
  `CALL enable_logging('QueryLog')`,
  `CREATE SECRET (TYPE s3)`,
  `SELECT * FROM '/etc/passwd'`,
  `FROM read_text('/proc/self/environ')`,
  `PREPARE p AS SELECT 1`,
  `DETACH market`,
];

/**
 * Returns random queries of a grammar over DuckDB's functions: calls of all kinds, casts, nested lists, recursive queries,
 * large literals, joins without a condition, other statements and broken texts. The same seed gives the same queries.
 */
export function randomQueries(functions: readonly ListedFunction[], seed: number, count: number): string[] {
  const next = generator(seed);
  const below = (most: number): number => Math.floor(next() * most);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const times = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const ofType = (...types: string[]): ListedFunction[] => functions.filter(({ type }) => types.includes(type));
  const [scalars, aggregates, tables, pragmas] = [
    ofType('scalar', 'macro'),
    ofType('aggregate'),
    ofType('table', 'table_macro'),
    ofType('pragma'),
  ];
  const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

  const large = (): string =>
    pick([
      () => `repeat('x', ${10 ** below(8)})`,
      () => `range(${10 ** below(7)})`,
      () => `'${'y'.repeat(10 ** below(5))}'`,
      () => `list_transform(range(${10 ** below(5)}), x -> repeat('z', x))`,
      () => `${'['.repeat(below(60))}1`.replace(/^(\[*)1$/, (_, open: string) => `${open}1${']'.repeat(open.length)}`),
    ])();
  const cast = (value: string): string => `${next() < 0.9 ? 'TRY_CAST' : 'CAST'}(${value} AS ${pick(TYPES)})`;
  const call = ({ name, parameters }: ListedFunction, depth: number): string => {
    const given = next() < 0.95 ? parameters : times(4, () => null);
    const values = given.map((type) => {
      if (next() < 0.02) return pick(ODD);
      const value = expression(depth - 1);
      // Types such as ANY or T take any value. With TRY_CAST, most calls run.
      return type === null || !/^[A-Z]{3,}(\(.*\))?(\[\])*$/.test(type) || type.startsWith('ANY') || next() < 0.1
        ? value
        : `TRY_CAST(${value} AS ${type})`;
    });
    return `${quoted(name)}(${values.join(', ')})`;
  };
  const expression = (depth: number): string => {
    if (depth <= 0 || next() < 0.25) return pick(LITERALS);
    return pick([
      () => call(pick(scalars), depth),
      () => call(pick(scalars), depth),
      () => cast(expression(depth - 1)),
      () => `[${[1, 2, 3].map(() => expression(depth - 2)).join(', ')}]`,
      () => `{'a': ${expression(depth - 1)}, 'b': ${expression(depth - 2)}}`,
      () => `CASE WHEN ${expression(depth - 1)} THEN ${expression(depth - 2)} ELSE ${pick(LITERALS)} END`,
      () => `(SELECT ${call(pick(aggregates), depth)} FROM ${source(0)})`,
      large,
    ])();
  };
  const source = (depth: number): string =>
    pick([
      () => pick(TABLES),
      () => pick(TABLES),
      () => `range(${10 ** below(7)})`,
      () => (depth > 0 ? `(${select(depth - 1)})` : `(VALUES (1, 'a'), (2, NULL))`),
      () => call(pick(tables), 1),
      () => `${pick(TABLES)}, range(${10 ** below(5)}), range(${10 ** below(5)})`,
    ])();
  const select = (depth: number): string => {
    const columns = [expression(depth), ...times(2, () => expression(depth - 1))].map((one, i) => `${one} AS c${i}`);
    const parts = [`SELECT ${next() < 0.1 ? 'DISTINCT ' : ''}${columns.join(', ')} FROM ${source(depth)}`];
    if (next() < 0.2) parts.push(`WHERE ${expression(1)}`);
    if (next() < 0.1) parts.push('GROUP BY ALL');
    if (next() < 0.2) parts.push(`ORDER BY ${pick(['1', 'ALL', 'random()', 'c0 DESC'])}`);
    if (next() < 0.3) parts.push(`LIMIT ${pick(['0', '10', '1000000', '-1', '50%'])}`);
    return parts.join(' ');
  };
  const recursive = (): string =>
    `WITH RECURSIVE r(i, t) AS (SELECT 1, 'x' UNION ${pick(['ALL ', ''])}SELECT i + 1, ${pick(['t', 't || t', `t || 'y'`])} FROM r${pick(['', ` WHERE i < ${10 ** below(6)}`])}) SELECT ${pick(['*', 'max(i)', 'sum(length(t))'])} FROM r`;
  const broken = (): string => {
    const text = select(2);
    const at = below(text.length);
    return pick([
      text.slice(0, at),
      `${text.slice(0, at)}${pick([';', '"', "'", '/*', '--', '\0', '))', '$$'])}${text.slice(at)}`,
    ]);
  };
  const query = (): string =>
    pick([
      () => `SELECT ${call(pick(scalars), 1)}, ${call(pick(scalars), 1)} FROM ${pick(TABLES)}`,
      () => `SELECT ${call(pick(aggregates), 1)} FROM ${pick(TABLES)}`,
      () => `SELECT ${expression(2)}`,
      () => select(3),
      () => select(3),
      () => select(4),
      () => `SELECT ${call(pick(scalars), 3)}`,
      () => `SELECT ${call(pick(aggregates), 2)} OVER (ORDER BY range) FROM range(${10 ** below(6)})`,
      () => `FROM ${call(pick(tables), 2)}`,
      () => `PRAGMA ${next() < 0.5 ? pick(pragmas).name : call(pick(pragmas), 1)}`,
      recursive,
      () => `${pick(['EXPLAIN', 'EXPLAIN ANALYZE', 'DESCRIBE', 'SUMMARIZE'])} ${select(2)}`,
      () => pick(OTHER),
      () => `SELECT 1; ${select(2)}; ${pick(OTHER)}`,
      broken,
    ])();
  return Array.from({ length: count }, query);
}
