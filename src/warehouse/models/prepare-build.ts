import { writeFileSync } from 'node:fs';
import { PREPARED_FILE, prepared } from '../duckdb/prepared.js';
import { templateFile } from '../duckdb/template.js';
import { makeEmptyWarehouse } from './empty-warehouse.js';

/*
 * Script of the build step. Writes what runs would have to make again next to the compiled code: an empty warehouse with
 * all models (src/warehouse/duckdb/template.ts), and what this found out about `sql/` (src/warehouse/duckdb/prepared.ts).
 */

writeFileSync(templateFile(), await makeEmptyWarehouse());
writeFileSync(PREPARED_FILE, JSON.stringify(prepared()));
