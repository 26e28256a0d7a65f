import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { version } from '@duckdb/node-api';
import { openWarehouse } from '../duckdb/open.js';
import { byHash, PREPARED_FILE, type Prepared } from '../duckdb/prepared.js';
import { parsedQueries } from '../duckdb/sql-parser.js';
import { parsedHeaders } from './model-file.js';
import { buildModels } from './run-models.js';

/*
 * Script of the build step. Builds the models in an empty warehouse, and writes what this found out about `sql/` next to
 * the compiled code (src/warehouse/duckdb/prepared.ts).
 */

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-build-'));
try {
  const warehouse = await openWarehouse(folder);
  try {
    await buildModels(warehouse);
  } finally {
    await warehouse.close();
  }
  const found: Prepared = {
    duckdb: version(),
    headers: byHash(parsedHeaders()),
    queries: byHash(parsedQueries()),
  };
  writeFileSync(PREPARED_FILE, JSON.stringify(found));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
