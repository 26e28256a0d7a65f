import { sha256 } from '../../base/hash.js';
import type { Database } from '../duckdb/database.js';
import { isByNight } from '../models/changed-nights.js';
import type { Model } from '../models/models.js';
import { readsOfModels, type Reads } from '../models/reads.js';

/*
 * A state is a hash of everything that decides the rows of a table. It contains the random ids of the last changes
 * (`ledger.table_changes`), so no two warehouses have the same state with different rows. While the state of a table is
 * the same, the lake keeps its files. Nothing is read or hashed to find out whether rows changed.
 */

/** The states of the rows of one table. */
export interface TableState {
  /** State of all rows; null if they may change without a record, for example because a view calls now(). */
  state: string | null;
  /** For a table by night: the state of each night that has rows or had some. */
  nights?: ReadonlyMap<string, string>;
  /** For a table to which rows are only added: the batches that were added, in their order. */
  batches?: readonly Batch[];
}

/** Rows that were added to base.year_values in one transaction. */
export interface Batch {
  /** Random id. */
  id: string;
  /** Highest content_id of this batch and of all earlier ones. */
  last: number;
}

/** What is known about changes. */
export interface Changes {
  /** Random id of the last change, by table. */
  tables: ReadonlyMap<string, string>;
  /** Random id of the last change of each night, by table by night. */
  nights: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The batches of base.year_values. */
  batches: readonly Batch[];
}

/** Reads the last changes. Call it while the database has the schema `ledger`. */
export async function readChanges(db: Database): Promise<Changes> {
  const tables = await db.rows<{ table_name: string; change: string }>('FROM ledger.table_changes');
  const rows = await db.rows<{ model: string; date: string; change: string }>('FROM ledger.model_nights');
  const nights = new Map<string, Map<string, string>>();
  for (const { model, date, change } of rows)
    nights.set(model, (nights.get(model) ?? new Map<string, string>()).set(date, change));
  const batches = await db.rows<{ id: string; last: number }>(
    'SELECT CAST(id AS VARCHAR) AS id, CAST(last_content_id AS DOUBLE) AS last FROM ledger.content_batches ORDER BY last_content_id',
  );
  return {
    batches,
    tables: new Map(tables.map(({ table_name: name, change }) => [name, change])),
    nights,
  };
}

/** Returns the function that returns the state of a model's rows. */
export async function statesOf(models: readonly Model[], changes: Changes): Promise<(model: Model) => TableState> {
  const reads = await readsOfModels(models, new Map());
  return (model) => ({ state: stateOf(model, reads.get(model.model)?.rows, changes), ...nightsOf(model, changes) });
}

/** Returns the state of a table that no model makes. */
export function stateOfStored(table: string, columns: unknown, { tables, batches }: Changes): TableState {
  const state = hashOf([table, columns, tables.get(table) ?? '']);
  return table === 'base.year_values' ? { state, batches } : { state };
}

/** Returns the states of the nights of a table or view by night. */
function nightsOf(model: Model, { nights }: Changes): Pick<TableState, 'nights'> {
  if (!isByNight(model)) return {};
  const known = [...(nights.get(model.model) ?? [])];
  return { nights: new Map(known.map(([date, at]) => [date, hashOf([model.fingerprint, model.text, date, at])])) };
}

/** @param reads of the model's query; those of a view contain what other views read that it reads */
function stateOf(
  { model, kind, fingerprint, text }: Model,
  reads: Reads | undefined,
  { tables }: Changes,
): string | null {
  // Without a record, the rows of a table may have changed. A view may give other rows itself.
  if (kind === 'view' ? reads?.isRepeatable !== true : !tables.has(model)) return null;
  const stored = kind === 'view' ? [...(reads?.tables ?? [])] : [model];
  return hashOf([fingerprint, text, stored.toSorted().map((table) => [table, tables.get(table) ?? ''])]);
}

function hashOf(parts: unknown): string {
  return sha256(JSON.stringify(parts));
}
