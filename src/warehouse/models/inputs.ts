import { randomUUID } from 'node:crypto';
import type { Database } from '../duckdb/database.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { duckdbVersion } from '../duckdb/instance.js';
import { isOfBuilds } from '../duckdb/table-changes.js';
import type { Model } from './models.js';
import { mayDiffer, readsOfModels, type ModelReads, type Reads } from './reads.js';
import { sha256 } from '../../base/hash.js';

/*
 * Decides which models a build can skip. The rows of a model depend only on:
 * - the texts of the model, its parents, the macros and the seeds (the fingerprint)
 * - the version of DuckDB, and the setting `personalData` if the model reads it
 * - the tables that its queries read
 *
 * The declared fields of the API reference count, too, but a warehouse with other ones is made again (schema.ts).
 * The ledger records the last change of its tables (src/warehouse/duckdb/table-changes.ts), and a build records the changes
 * of the tables of models. So while the hash of all this stays the same, a build would make the same rows. A model whose
 * query may return other rows without such a change, for example because it calls now(), is always built.
 */

interface Known {
  built_from: string;
  audited_from: string;
}

/** What a build knows when it begins. */
interface Before {
  personalData: boolean;
  reads: ReadonlyMap<string, ModelReads>;
  /** Inputs with which the last build made or kept each model. */
  known: ReadonlyMap<string, Known>;
}

/** The inputs of the models, before and during one build. Call `save` in the transaction of the build. */
export class Inputs {
  readonly #before: Before;
  /** Random id of the last change of each table. */
  readonly #changes: Map<string, string>;
  /** Tables that had no rows before this build, and that it has not changed. */
  readonly #empty: Set<string>;
  /** Inputs with which this build made or kept each model. */
  readonly #now = new Map<string, Known>();
  readonly #changedModels = new Set<string>();

  private constructor(before: Before, changes: Map<string, string>, empty: Set<string>) {
    this.#before = before;
    this.#changes = changes;
    this.#empty = empty;
  }

  /** Reads the inputs of the last build, and the last change of each table. */
  static async read(
    db: Database,
    models: readonly Model[],
    { personalData }: { personalData: boolean },
  ): Promise<Inputs> {
    const reads = await readsOfModels(models);
    const changes = await db.rows<{ table_name: string; change: string }>('FROM ledger.table_changes');
    const known = await db.rows<Known & { model: string }>('FROM ledger.model_inputs');
    const empty = await db.rows<{ name: string }>(EMPTY_TABLES);
    return new Inputs(
      { personalData, reads, known: new Map(known.map(({ model, ...row }) => [model, row])) },
      new Map(changes.map((row) => [row.table_name, row.change])),
      new Set(empty.map(({ name }) => name)),
    );
  }

  /** Whether a build would make the same table or view again. */
  areSame(model: Model): boolean {
    if (model.needs.length > 0 && [model.model, ...model.needs].every((table) => this.#empty.has(table))) return true;
    const reads = this.#before.reads.get(model.model);
    if (reads === undefined || reads.readsItself) return false;
    // A view stores no rows.
    if (model.kind !== 'view' && mayDiffer(reads.rows, model)) return false;
    return this.#before.known.get(model.model)?.built_from === this.#rowsFrom(model);
  }

  /** Whether the table or view was made by the same model with the same settings, perhaps from other rows. */
  isMadeBySame(model: Model): boolean {
    return this.#before.known.get(model.model)?.built_from.startsWith(this.#madeBy(model)) ?? false;
  }

  /** Whether the last results of the audits may differ now. Call it after the model was built or skipped. */
  needAudits(model: Model): boolean {
    const reads = this.#before.reads.get(model.model);
    if (reads === undefined || mayDiffer(reads.audits)) return true;
    if (model.kind === 'view' && !reads.rows.isRepeatable) return true;
    return this.#before.known.get(model.model)?.audited_from !== this.#auditedFrom(model);
  }

  /** Records that the table or view of a model may have other rows now. */
  setChanged(model: Model): void {
    this.#changes.set(model.model, randomUUID());
    this.#changedModels.add(model.model);
    this.#empty.delete(model.model);
  }

  /** Records that a model and its audits are up to date. Call it after the model was built and audited, or skipped. */
  setDone(model: Model): void {
    this.#now.set(model.model, { built_from: this.#rowsFrom(model), audited_from: this.#auditedFrom(model) });
  }

  /**
   * Saves the inputs and the changes of this build.
   * @param models All models that are served. The inputs of other models are removed
   */
  async save(db: Database, models: readonly Model[]): Promise<void> {
    await db.run('DELETE FROM ledger.model_inputs');
    const inputs = models.map(({ model }) => ({ model, ...this.#now.get(model) }));
    await insertRows(db, 'ledger.model_inputs', INPUTS, inputs);
    const changes = [...this.#changedModels].map((name) => ({ table_name: name, change: this.#changes.get(name) }));
    if (changes.length === 0) return;
    await db.run(`DELETE FROM ledger.table_changes WHERE list_contains(CAST($names AS JSON)::VARCHAR[], table_name)`, {
      names: JSON.stringify([...this.#changedModels]),
    });
    await insertRows(db, 'ledger.table_changes', CHANGES, changes);
  }

  #madeBy({ model, fingerprint }: Model): string {
    const settings =
      this.#before.reads.get(model)?.rows.readsSettings === true ? { personalData: this.#before.personalData } : {};
    return `${sha256(JSON.stringify([fingerprint, settings]))} `;
  }

  #rowsFrom(model: Model): string {
    return this.#madeBy(model) + this.#hash(this.#before.reads.get(model.model)?.rows, [duckdbVersion()]);
  }

  #auditedFrom(model: Model): string {
    const { audits, key, nullable } = model;
    const own = this.#changes.get(model.model) ?? '';
    return this.#hash(this.#before.reads.get(model.model)?.audits, [audits, key, nullable, own]);
  }

  #hash(reads: Reads | undefined, own: unknown[]): string {
    // Builds change their own tables after they have made the views that read them.
    const counted = [...(reads?.tables ?? [])].filter((table) => !isOfBuilds(table));
    const tables = counted.toSorted().map((table) => [table, this.#changes.get(table) ?? '']);
    return sha256(JSON.stringify([own, tables]));
  }
}

// DuckDB counts rows without reading them. The count of removed rows may remain, and then the table does not count as empty.
const EMPTY_TABLES = `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
  WHERE database_name = current_database() AND estimated_size = 0`;

const INPUTS = { model: 'VARCHAR', built_from: 'VARCHAR', audited_from: 'VARCHAR' };
const CHANGES = { table_name: 'VARCHAR', change: 'VARCHAR' };
