import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorMessage, TidemarkError } from '../core/errors.js';
import { ModelFailedError } from './errors.js';
import { loadLanding } from './load.js';
import { landAnswers } from './models-test-land.js';
import type { ModelCase } from './models-test-cases.js';
import { compareRows, sameRowsReordered, type Row, type RowDifference } from './models-test-compare.js';
import { openWarehouse } from './open.js';
import { buildModels } from './run-models.js';

/** One expectation of a case that does not hold. */
export interface CaseFailure {
  /** Null when the models could not be built at all. */
  query: string | null;
  /** Why there are no rows to compare. */
  error: string | null;
  differences: RowDifference[];
  /** The rows are those expected, in another order: an ORDER BY is missing. */
  reordered: boolean;
}

export interface CaseResult {
  file: string;
  name: string;
  failures: CaseFailure[];
}

/**
 * Runs one case: lands what is given, loads it and builds all models in a warehouse of its own, which goes afterwards, and
 * compares the rows of each query. A model that cannot be built or a wrong query is a failure of the case, not an error.
 * @throws TidemarkError `DiskFull`
 */
export async function runCase(testCase: ModelCase): Promise<CaseResult> {
  const { file, name } = testCase;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-case-'));
  try {
    await landAnswers(dataDir, testCase.given);
    const warehouse = await openWarehouse(dataDir, { threads: 2 });
    try {
      await loadLanding(warehouse, dataDir);
      await buildModels(warehouse, { personalData: true });
      const failures: CaseFailure[] = [];
      for (const { query, rows } of testCase.expect) {
        const failure = await checkQuery(async () => warehouse.db.rows(query), query, rows);
        if (failure !== null) failures.push(failure);
      }
      return { file, name, failures };
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    // A full disk says nothing about a model.
    if (error instanceof TidemarkError && !(error instanceof ModelFailedError)) throw error;
    return {
      file,
      name,
      failures: [{ query: null, error: errorMessage(error), differences: [], reordered: false }],
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function checkQuery(read: () => Promise<Row[]>, query: string, expected: Row[]): Promise<CaseFailure | null> {
  try {
    const actual = await read();
    const differences = compareRows(expected, actual);
    if (differences.length === 0) return null;
    return { query, error: null, differences, reordered: sameRowsReordered(expected, actual) };
  } catch (error) {
    return { query, error: errorMessage(error), differences: [], reordered: false };
  }
}
