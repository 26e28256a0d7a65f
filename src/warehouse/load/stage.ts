import { RECORD_STREAMS } from '../../../schemas/streams/landing-streams.js';
import type { Database } from '../duckdb/database.js';
import { readSqlFile } from '../duckdb/sql-files.js';

const RECORDS = ['_company_records', '_company_records_odd', '_company_values', '_company_records_end'];

/*
 * The files of `sql/staging/` for the streams whose staging has several files. A file whose name ends with `_odd` is the
 * second pass: it runs only if the first pass left rows in the table `odd_rows`.
 */
const FILES: Readonly<Record<string, readonly string[]>> = {
  companies: ['companies', ...RECORDS],
  companies_v1: ['companies_v1', '_company_records_odd', '_company_values', 'companies_v1_end'],
  financials: ['_reports', 'financials', 'financials_odd', '_reports_odd', '_report_contents'],
  financials_v1: [
    '_reports',
    'financials_v1',
    'financials_v1_odd',
    '_reports_odd',
    'financials_v1_end',
    '_report_contents',
  ],
  employees: ['employees', '_people'],
  employee_details: ['employee_details', '_people'],
  executives: ['executives', '_people'],
  prospecting: ['prospecting', 'prospecting_odd', 'prospecting_end'],
  matches: ['matches', ...RECORDS],
};

/** Returns the names of the staging files of a stream, in the order in which they run, without `_batch` and `_finish`. */
export function stagingFiles(stream: string): readonly string[] {
  return FILES[stream] ?? [RECORD_STREAMS.has(stream) ? '_records' : stream];
}

/** Reads the rows of the temp view `parts`, which are of one stream, into the ledger, up to `staging/_finish.sql`. */
export async function stage(db: Database, stream: string): Promise<void> {
  await db.runFile(readSqlFile('staging/_batch.sql'));
  let hasOddRows: boolean | undefined;
  for (const name of stagingFiles(stream)) {
    if (name.endsWith('_odd')) {
      hasOddRows ??= (await db.count('SELECT count(*) FROM odd_rows')) > 0;
      if (!hasOddRows) continue;
    }
    await db.runFile(readSqlFile(`staging/${name}.sql`));
  }
}
