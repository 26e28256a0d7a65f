import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorMessage, TidemarkError } from '../../../base/errors.js';
import { ModelFailedError } from '../../duckdb/errors.js';
import { loadLanding } from '../../load/load.js';
import { landAnswers } from './land-answers.js';
import { readModels, type Model } from '../models.js';
import type { ModelCase, RowsCase } from './read-cases.js';
import { compareRows, sameRowsReordered, sortRows, type Row, type RowDifference } from './compare-rows.js';
import { runOnRows } from './run-rows-case.js';
import { writeEmptyWarehouse } from '../empty-warehouse.js';
import { openWarehouse, type Warehouse } from '../../duckdb/open.js';
import { buildModels } from '../run-models.js';
import { parseQueries } from '../../duckdb/sql-parser.js';
import { Data } from '../../../store/data.js';

type AnswersCase = Exclude<ModelCase, RowsCase>;

/** One failed expectation of a case. */
export interface CaseFailure {
  /** The query that failed. Null when the models could not be built. */
  query: string | null;
  /** Error message if the models or the query failed. There are then no rows to compare. Null otherwise. */
  error: string | null;
  differences: RowDifference[];
  /** True when the rows are as expected but in another order: the query lacks an ORDER BY. */
  reordered: boolean;
}

/** Result of one case. The case passed if `failures` is empty. */
export interface CaseResult {
  file: string;
  name: string;
  failures: CaseFailure[];
}

/** Runs cases in temporary warehouses. Close it at the end. */
export class CaseRunner {
  readonly #modelsDir: string | undefined;
  /** An empty warehouse, which all cases of rows use one after the other. */
  #shared: Promise<TemporaryWarehouse> | undefined;

  /** @param modelsDir Folder with the user's own models, in addition to the shipped ones */
  constructor(modelsDir?: string) {
    this.#modelsDir = modelsDir;
  }

  /**
   * Runs one case. For a case with answers, lands and loads the answers in a new warehouse and builds the models that
   * the queries read. For a case with rows, fills the tables that one model reads, and rolls back at the end. If a model
   * cannot be built or a query is wrong, reports a failure of the case instead of throwing.
   * @throws TidemarkError that no model caused, such as `DiskFull`
   */
  async run(testCase: ModelCase): Promise<CaseResult> {
    const { file, name } = testCase;
    try {
      const failures = 'model' in testCase ? await this.#onRows(testCase) : await this.#onAnswers(testCase);
      return { file, name, failures };
    } catch (error) {
      return { file, name, failures: [broken(null, error)] };
    }
  }

  async close(): Promise<void> {
    await (await this.#shared)?.remove();
  }

  async #onRows(testCase: RowsCase): Promise<CaseFailure[]> {
    const models = await readModels(this.#modelsDir);
    this.#shared ??= makeWarehouse();
    const { db } = (await this.#shared).warehouse;
    await db.run('BEGIN TRANSACTION');
    try {
      return compareTable(testCase, await runOnRows(db, testCase, models));
    } finally {
      await db.run('ROLLBACK');
    }
  }

  async #onAnswers(testCase: AnswersCase): Promise<CaseFailure[]> {
    const models = await modelsReadBy(testCase, this.#modelsDir);
    const made = await makeWarehouse();
    try {
      return await onAnswers(made, testCase, models);
    } finally {
      await made.remove();
    }
  }
}

interface TemporaryWarehouse {
  dataDir: string;
  warehouse: Warehouse;
  /** Closes the warehouse and removes its folder. */
  remove(): Promise<void>;
}

async function makeWarehouse(): Promise<TemporaryWarehouse> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-case-'));
  const removeFolder = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    await writeEmptyWarehouse(dataDir);
    const warehouse = await openWarehouse(new Data(dataDir));
    return { dataDir, warehouse, remove: () => warehouse.close().finally(removeFolder) };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

function compareTable({ model, expect }: RowsCase, rows: Row[]): CaseFailure[] {
  const differences = compareRows(sortRows(expect.rows), sortRows(rows));
  return differences.length === 0 ? [] : [{ query: `FROM ${model}`, error: null, differences, reordered: false }];
}

async function onAnswers(
  { dataDir, warehouse }: TemporaryWarehouse,
  testCase: AnswersCase,
  models: Model[],
): Promise<CaseFailure[]> {
  const { given, later } = testCase;
  for (const answers of later === undefined ? [given] : [given, later]) {
    await landAnswers(dataDir, answers);
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { personalData: true, models });
  }
  const failures: CaseFailure[] = [];
  for (const { query, rows } of testCase.expect) {
    try {
      const actual = await warehouse.db.rows(query);
      const differences = compareRows(rows, actual);
      const reordered = sameRowsReordered(rows, actual);
      if (differences.length > 0) failures.push({ query, error: null, differences, reordered });
    } catch (error) {
      failures.push(broken(query, error));
    }
  }
  return failures;
}

/**
 * Returns the models that the queries of a case read, directly or through other models. Returns all models if a query
 * cannot be parsed.
 */
async function modelsReadBy(testCase: AnswersCase, modelsDir?: string): Promise<Model[]> {
  const models = await readModels(modelsDir);
  const byName = new Map(models.map((model) => [model.model, model]));
  const needed = new Set<string>();
  const need = (name: string): void => {
    const model = byName.get(name);
    if (model === undefined || needed.has(name)) return;
    needed.add(name);
    model.parents.forEach(need);
  };
  const queries = testCase.expect.map(({ query }) => query);
  const parsed = await parseQueries(queries);
  for (const query of queries) {
    const { tables } = parsed(query);
    if (tables === undefined) return models;
    tables.forEach(need);
  }
  return models.filter(({ model }) => needed.has(model));
}

function broken(query: string | null, error: unknown): CaseFailure {
  // Rethrow errors that the model did not cause, such as a full disk.
  if (error instanceof TidemarkError && !(error instanceof ModelFailedError)) throw error;
  return { query, error: errorMessage(error), differences: [], reordered: false };
}
