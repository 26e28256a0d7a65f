import { availableParallelism } from 'node:os';
import path from 'node:path';
import { errorMessage } from '../../src/base/errors.js';
import { installPython } from '../../test/helpers/python.js';
import { runProgram, type Contender, type Place } from './contender.js';

const HERE = import.meta.dirname;
export const DLT_VERSION = '1.31.0';
// This version of DuckDB writes files that Tidemark's version can read.
const PACKAGES = [`dlt[duckdb]==${DLT_VERSION}`, 'duckdb==1.5.6', 'pyarrow==26.0.1'];

/**
 * Returns the plain script.
 * @param inFlight number of requests at the same time
 * @param limit number of companies to read; undefined: all
 */
export function plainScript(name: string, inFlight: number, limit?: number): Contender {
  return {
    name,
    async run({ sandbox, folder, queryable, done }) {
      const { cpu, peakMiB } = await runProgram(process.execPath, [path.join(HERE, 'script.mjs')], {
        ...access(sandbox, folder),
        IN_FLIGHT: String(inFlight),
        ...(limit !== undefined && { LIMIT: String(limit) }),
      });
      queryable();
      await done();
      return {
        cpu: { script: cpu },
        peakMiB,
        file: path.join(folder, 'script.duckdb'),
        companies: 'SELECT company_id, name FROM db.companies',
        values: 'SELECT company_id, fiscal_year, indicator, value FROM db.financials',
      };
    },
  };
}

/**
 * Returns the pipeline that is written with dlt. Installs dlt into a virtual environment below the temp folder.
 * @returns null, with a message, if dlt cannot be installed
 */
export async function dltPipeline(): Promise<Contender | null> {
  let python: string;
  try {
    python = await installPython('dlt', PACKAGES);
  } catch (error) {
    process.stdout.write(`  dlt is skipped: cannot install it from PyPI (${errorMessage(error).split('\n')[0]})\n`);
    return null;
  }
  return {
    name: `dlt ${DLT_VERSION}`,
    async run({ sandbox, folder, queryable, done }) {
      const { cpu, peakMiB } = await runProgram(python, [path.join(HERE, 'dlt_pipeline.py')], {
        ...access(sandbox, folder),
        ...TUNING,
      });
      queryable();
      await done();
      return {
        cpu: { dlt: cpu },
        peakMiB,
        file: path.join(folder, 'dlt.duckdb'),
        companies: 'SELECT id, name FROM db.market.companies',
        values: 'SELECT company_id, fiscal_year, indicator, value FROM db.market.financials',
      };
    },
  };
}

/** The settings that dlt's page on performance names. */
const TUNING = {
  EXTRACT__WORKERS: '32',
  EXTRACT__MAX_PARALLEL_ITEMS: '64',
  NORMALIZE__WORKERS: String(availableParallelism()),
  LOAD__WORKERS: String(availableParallelism()),
  DATA_WRITER__BUFFER_MAX_ITEMS: '100000',
  RUNTIME__DLTHUB_TELEMETRY: 'false',
  RUNTIME__LOG_LEVEL: 'ERROR',
};

function access({ url, key }: Place['sandbox'], folder: string): Record<string, string> {
  return { API_URL: url, API_KEY: key, FOLDER: folder };
}
