import { isOfBuilds } from '../duckdb/table-changes.js';
import { splitStatements } from '../duckdb/split-statements.js';
import { readSqlFile } from '../duckdb/sql-files.js';
import { MODEL_SCHEMAS, type Model } from './models.js';
import { namesOfQueries, queriesOf } from './parents.js';

/** What a query reads. */
export interface Reads {
  /** Tables and views, as `schema.table`. */
  tables: ReadonlySet<string>;
  /** Whether the query returns the same rows again while its tables and the settings stay the same. */
  isRepeatable: boolean;
  /** Whether the query reads the temp table `settings`, directly or through models. */
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
 * Finds what the queries of each model read. A query that reads a view also reads the tables of the view.
 * @param views Queries of the views that are not models, by name
 */
export async function readsOfModels(
  models: readonly Model[],
  views: ReadonlyMap<string, string> = viewsOfSchema(),
): Promise<Map<string, ModelReads>> {
  // Parse all queries in one statement.
  await namesOfQueries([...views.values(), ...models.flatMap(queriesOf)]);
  const known = new Map<string, Reads>();
  for (const [name, sql] of views) known.set(name, await readsOf([sql], known));
  const found = new Map<string, ModelReads>();
  for (const { model, kind, sql, incremental, audits, parents, uses = [] } of models) {
    // A macro of the user may call a function such as now(), so the model that calls the macro may give other rows.
    const macros = uses.flatMap((object) => (object.kind === 'macro' ? object.queries : []));
    const rows = await readsOf([sql, incremental?.changed, incremental?.all, ...macros], known);
    rows.readsSettings ||= parents.some((parent) => found.get(parent)?.rows.readsSettings === true);
    if (kind === 'view') known.set(model, rows);
    const readsItself = rows.tables.delete(model);
    const ofAudits = await readsOf([...audits.map((audit) => audit.sql), ...macros], known);
    found.set(model, { rows, audits: ofAudits, readsItself });
  }
  return found;
}

/** Returns the queries of the views of every warehouse, by name. */
function viewsOfSchema(): Map<string, string> {
  const create = /^CREATE VIEW ((?:ledger|base)\.\w+)(?:\s*\([^)]*\))?\s+AS\s+(.*)$/s;
  const views = splitStatements(readSqlFile('schema.sql').text).map((statement) => create.exec(statement));
  return new Map(views.flatMap((view) => (view === null ? [] : [[view[1] ?? '', view[2] ?? ''] as const])));
}

async function readsOf(queries: readonly (string | undefined)[], views: ReadonlyMap<string, Reads>) {
  const names = await namesOfQueries(queries.filter((sql) => sql !== undefined));
  const tables = [...names.tables, ...names.strings].map((name) => name.toLowerCase()).filter(isTableName);
  const read = tables.flatMap((table) => views.get(table) ?? []);
  const isRead =
    names.functions.every(isRepeatable) &&
    names.tables.every((name) => isTableName(name.toLowerCase())) &&
    names.otherTables.every((name) => BUILD_TABLES.test(name));
  return {
    tables: new Set([...tables, ...read.flatMap((view) => [...view.tables])]),
    isRepeatable: isRead && read.every((view) => view.isRepeatable),
    readsSettings:
      names.otherTables.some((name) => name.toLowerCase() === 'settings') || read.some((view) => view.readsSettings),
  };
}

/**
 * Whether queries may return other rows although no counted input changed. Builds change some tables without counting.
 * Among these are the tables `dirty_…`, which an incremental model reads before the build empties them.
 */
export function mayDiffer(reads: Reads, model?: Pick<Model, 'kind'>): boolean {
  const isUncounted = (name: string): boolean =>
    isOfBuilds(name) || (model?.kind !== 'incremental' && name.startsWith('ledger.dirty_'));
  return !reads.isRepeatable || [...reads.tables].some(isUncounted);
}

function isTableName(name: string): boolean {
  const [schema = '', table, more] = name.split('.');
  return SCHEMAS.includes(schema) && /^\w+$/.test(table ?? '') && more === undefined;
}
