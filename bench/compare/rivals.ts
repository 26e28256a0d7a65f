import { availableParallelism } from 'node:os';
import path from 'node:path';
import { errorMessage } from '../../src/base/errors.js';
import { installPython } from '../../test/helpers/python.js';
import { runProgram, type Contender, type Outcome, type Place } from './contender.js';

const HERE = import.meta.dirname;
export const DLT_VERSION = '1.31.0';
// This version of DuckDB writes files that Tidemark's version can read.
const DUCKDB = 'duckdb==1.5.6';
export const CDK_VERSION = '7.39.1';

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
 * Returns the pipeline that is written with dlt.
 * @returns null, with a message, if dlt cannot be installed
 */
export function dltPipeline(): Promise<Contender | null> {
  return pythonProgram({
    name: `dlt ${DLT_VERSION}`,
    key: 'dlt',
    packages: [`dlt[duckdb]==${DLT_VERSION}`, DUCKDB, 'pyarrow==26.0.1'],
    program: 'dlt_pipeline.py',
    env: TUNING,
    companies: 'SELECT id, name FROM db.market.companies',
    values: 'SELECT company_id, fiscal_year, indicator, value FROM db.market.financials',
  });
}

/**
 * Returns the source that is written with Airbyte's CDK.
 * @param threads number of requests at the same time
 * @returns null, with a message, if the CDK cannot be installed
 */
export function airbyteSource(threads: number): Promise<Contender | null> {
  return pythonProgram({
    name: `Airbyte CDK ${CDK_VERSION}`,
    key: 'airbyte',
    packages: [`airbyte-cdk==${CDK_VERSION}`, DUCKDB],
    program: 'airbyte_source.py',
    env: { IN_FLIGHT: String(threads) },
    companies: 'SELECT company_id, name FROM db.companies',
    values: 'SELECT company_id, fiscal_year, indicator, value FROM db.financials',
  });
}

interface PythonProgram extends Pick<Outcome, 'companies' | 'values'> {
  name: string;
  /** Name of its process, of its environment and of its DuckDB file. */
  key: string;
  packages: readonly string[];
  /** File in this folder. */
  program: string;
  env: Readonly<Record<string, string>>;
}

/** Installs packages into a virtual environment below the temp folder, and returns the program that uses them. */
async function pythonProgram(of: PythonProgram): Promise<Contender | null> {
  const { name, key, packages, program, env, companies, values } = of;
  let python: string;
  try {
    python = await installPython(key, packages);
  } catch (error) {
    process.stdout.write(`  ${name} is skipped: cannot install it from PyPI (${errorMessage(error).split('\n')[0]})\n`);
    return null;
  }
  return {
    name,
    async run({ sandbox, folder, queryable, done }) {
      const { cpu, peakMiB } = await runProgram(python, [path.join(HERE, program)], {
        ...access(sandbox, folder),
        ...env,
      });
      queryable();
      await done();
      return { cpu: { [key]: cpu }, peakMiB, file: path.join(folder, `${key}.duckdb`), companies, values };
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
