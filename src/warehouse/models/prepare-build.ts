import { writeFileSync } from 'node:fs';
import { version } from '@duckdb/node-api';
import { byHash, PREPARED_FILE, type Prepared } from '../duckdb/prepared.js';
import { parsedQueries } from '../duckdb/sql-parser.js';
import { templateFile } from '../duckdb/template.js';
import { makeEmptyWarehouse } from './empty-warehouse.js';
import { parsedHeaders } from './model-file.js';

/*
 * Script of the build step. Writes what runs would have to make again next to the compiled code: an empty warehouse with
 * all models (src/warehouse/duckdb/template.ts), and what this found out about `sql/` (src/warehouse/duckdb/prepared.ts).
 */

writeFileSync(templateFile(), await makeEmptyWarehouse());
const found: Prepared = {
  duckdb: version(),
  headers: byHash(parsedHeaders()),
  queries: byHash(parsedQueries()),
};
writeFileSync(PREPARED_FILE, JSON.stringify(found));
