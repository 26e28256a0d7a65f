import { isOfBuilds } from '../duckdb/table-changes.js';
import { splitStatements } from '../duckdb/split-statements.js';
import { readSqlFile } from '../duckdb/sql-files.js';
import type { SqlNames } from '../duckdb/sql-parser.js';
import { MODEL_SCHEMAS, type Model } from './models.js';
import { namesOfQueries, queriesOf } from './parents.js';

/** What a query reads. */
export interface Reads {
  /** Tables and views, as `schema.table`. */
  tables: ReadonlySet<string>;
  /** Whether the query returns the same rows again while its tables and the settings stay the same. */
  isRepeatable: boolean;
  /** Whether one of the tables is changed by builds without counting the change. */
  readsUncounted: boolean;
  /** Whether the query reads the temp table `settings`. */
  readsSettings: boolean;
}

/** What the queries of a model read. */
export interface ModelReads {
  /** The query and the block `incremental`. Without the model itself. */
  rows: Reads;
  /** The audits in the header. */
  audits: Reads;
  /** Whether the query or the block `incremental` reads the model itself. */
  readsItself: boolean;
}

/**
 * Functions whose result may change although their arguments stay the same, and functions that read anything but
 * tables.
 */
export const NOT_REPEATABLE: ReadonlySet<string> = new Set(
  `age ago arrow_scan arrow_scan_dumb check_peg_parser checkpoint current_catalog current_connection_id current_database
  current_date current_localtime current_localtimestamp current_query current_query_id current_role current_schema
  current_schemas current_setting current_time current_timestamp current_transaction_id current_user currval describe
  disable_logging disable_peg_parser disable_profiling enable_logging enable_peg_parser enable_profiling
  force_checkpoint gen_random_uuid get_block_size get_current_time get_current_timestamp getenv getvariable glob
  icu_calendar_names in_search_path json_execute_serialized_sql localtime localtimestamp nextval now parquet_scan
  query random read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto read_json_objects
  read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet read_text seq_scan session_user
  setseed sleep_ms sniff_csv sql_auto_complete stats summary tablesample test_all_types test_vector_types today
  transaction_timestamp truncate_duckdb_logs txid_current user uuid uuidv4 uuidv7 version which_secret write_log`.split(
    /\s+/,
  ),
);
const NOT_REPEATABLE_FAMILY = /^(?:duckdb|pragma|parquet|pg)_/;

/** Returns whether a function always returns the same result for the same arguments and tables. */
export function isRepeatable(name: string): boolean {
  return !NOT_REPEATABLE.has(name) && !NOT_REPEATABLE_FAMILY.test(name);
}

const SCHEMAS: readonly string[] = ['ledger', 'base', ...MODEL_SCHEMAS];
// Temporary tables of every build. The inputs of a model contain the texts and settings from which they are made.
const BUILD_TABLES = /^(?:settings|changed|seed_\w+)$/i;

/**
 * Finds what the queries of each model read.
 * @param views Queries of the views that are not models, by name
 */
export async function readsOfModels(
  models: readonly Model[],
  views: ReadonlyMap<string, string> = viewsOfSchema(),
): Promise<Map<string, ModelReads>> {
  // Parse all queries in one statement.
  await namesOfQueries([...views.values(), ...models.flatMap(queriesOf)]);
  const expanded = new Map<string, Reads>();
  for (const [name, sql] of views) expanded.set(name, await readsOf([sql]));
  const rowsOf = new Map<Model, Reads>();
  for (const model of models) {
    const { changed, all } = model.incremental ?? {};
    const reads = expand(await readsOf([model.sql, changed, all, ...macroQueries(model)]), expanded);
    const rows = findUncounted(reads, model.incremental !== undefined);
    rowsOf.set(model, rows);
    // This holds for the models that read such a view, too.
    if (model.kind === 'view' && (rows.readsUncounted || !rows.isRepeatable)) expanded.set(model.model, rows);
  }
  const known = new Map<string, ModelReads>();
  for (const [model, rows] of rowsOf) {
    const audits = await readsOf([...model.audits.map(({ sql }) => sql), ...macroQueries(model)]);
    known.set(model.model, {
      rows: { ...rows, tables: without(rows.tables, model.model) },
      audits: findUncounted(expand(audits, expanded), false),
      readsItself: rows.tables.has(model.model),
    });
  }
  return known;
}

/** Returns the queries of the views of every warehouse, by name. */
function viewsOfSchema(): Map<string, string> {
  const create = /^CREATE VIEW ((?:ledger|base)\.\w+)(?:\s*\([^)]*\))?\s+AS\s+(.*)$/s;
  const views = splitStatements(readSqlFile('schema.sql').text).map((statement) => create.exec(statement));
  return new Map(views.flatMap((view) => (view === null ? [] : [[view[1] ?? '', view[2] ?? ''] as const])));
}

/** A macro of the user may call a function such as now(), so the model that calls the macro may give other rows. */
function macroQueries({ uses = [] }: Model): string[] {
  return uses.flatMap((object) => (object.kind === 'macro' ? object.queries : []));
}

async function readsOf(queries: readonly (string | undefined)[]): Promise<Reads> {
  const names = await namesOfQueries(queries.filter((sql) => sql !== undefined));
  const named = names.flatMap(({ tables, strings }) => [...tables, ...strings]).map((name) => name.toLowerCase());
  const isRead = ({ functions, tables, otherTables }: SqlNames): boolean =>
    functions.every(isRepeatable) &&
    tables.every((name) => isTableName(name.toLowerCase())) &&
    otherTables.every((name) => BUILD_TABLES.test(name));
  return {
    tables: new Set(named.filter(isTableName)),
    isRepeatable: names.every(isRead),
    readsUncounted: false,
    readsSettings: names.some(({ otherTables }) => otherTables.some((name) => name.toLowerCase() === 'settings')),
  };
}

/** Adds the tables that views read. */
function expand(reads: Reads, views: ReadonlyMap<string, Reads>): Reads {
  const read = [...reads.tables].flatMap((table) => views.get(table) ?? []);
  return {
    ...reads,
    tables: new Set([...reads.tables, ...read.flatMap((view) => [...view.tables])]),
    isRepeatable: reads.isRepeatable && read.every((view) => view.isRepeatable),
    readsSettings: reads.readsSettings || read.some((view) => view.readsSettings),
  };
}

function isTableName(name: string): boolean {
  const [schema = '', table, more] = name.split('.');
  return SCHEMAS.includes(schema) && /^\w+$/.test(table ?? '') && more === undefined;
}

/**
 * Finds out whether builds change one of the tables without counting. An incremental model reads the tables `dirty_…`
 * before the build empties them.
 */
function findUncounted(reads: Reads, isIncremental: boolean): Reads {
  const isUncounted = (name: string): boolean => {
    return isOfBuilds(name) || (!isIncremental && name.startsWith('ledger.dirty_'));
  };
  return { ...reads, readsUncounted: [...reads.tables].some(isUncounted) };
}

function without(tables: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...tables].filter((table) => table !== name));
}
