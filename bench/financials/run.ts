import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { formatCount } from '../../schemas/format.js';
import { readManifests } from '../../src/landing/index.js';
import { Database } from '../../src/warehouse/duckdb/database.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { ensureSchema } from '../../src/warehouse/duckdb/schema.js';
import { prepareSession } from '../../src/warehouse/duckdb/session.js';
import { report } from '../report/report.js';
import { measured, median, type ResultTable } from '../report/result.js';
import { interleaved, type Rounds, type Variant } from '../rounds.js';
import { statementCosts, type StepCost } from '../statement-costs.js';
import { encodeLong } from './arrow-parquet.js';
import { checkedValues } from './by-hand.js';
import { landReports } from './land-reports.js';
import { Data } from '../../src/store/data.js';

const REPORTS = 20_000;
const ROUNDS = 3;
/** Maximum number of values per part; a multiple of 8. */
const PART_VALUES = 400_000;
const LONG = 'company_id BIGINT, fiscal_year INTEGER, indicator VARCHAR, value_double DOUBLE, value_text VARCHAR';

/**
 * Measures the step from landed v2 report bodies to the checked long table. Compares the SQL load with three TypeScript
 * variants. The baseline is the time DuckDB takes to write the same rows from memory to Parquet. Also measures the steps
 * of the whole load.
 */
export async function benchFinancials(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  // The same number of threads as the other variants.
  process.env['TIDEMARK_WAREHOUSE_THREADS'] = '2';
  try {
    const dataDir = path.join(dir, 'data');
    await landReports(dataDir, { companies: REPORTS });
    const memory = await openMemory();
    const values = await loadInto(memory, dataDir);
    await memory.connection.run(
      'CREATE TABLE long AS SELECT v.company_id, fiscal_year, indicator, value_double, value_text FROM base.year_values AS v JOIN ledger.year_contents USING (content_id) JOIN base.indicator_ids ON id = ind',
    );
    const result = await interleaved(variants(dir, dataDir, memory.connection), ROUNDS);
    memory.close();
    const steps = await measureSteps(dataDir);
    report({
      bench: 'financials',
      settings: {},
      rounds: ROUNDS,
      tables: [speedTable(values, result), stepTable(steps, median(result.get(BASELINE)!.cpu))],
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function speedTable(values: number, result: ReadonlyMap<string, Rounds>): ResultTable {
  const base = result.get(BASELINE)!;
  return {
    name: 'speed',
    columns: [
      `${formatCount(values)} values of ${formatCount(REPORTS)} reports`,
      'values/s',
      'CPU',
      'share of the limit by time',
      'by CPU',
    ],
    rows: [...result].map(([name, { seconds, cpu }]) => ({
      name,
      cells: [
        measured(
          seconds.map((time) => values / time),
          'per second',
        ),
        measured(cpu, 'seconds'),
        measured([median(base.seconds) / median(seconds)], 'ratio'),
        measured([median(base.cpu) / median(cpu)], 'ratio'),
      ],
    })),
  };
}

/** Measures the steps of one whole load into a new warehouse file. */
async function measureSteps(dataDir: string): Promise<Map<string, StepCost>> {
  rmSync(path.join(dataDir, 'warehouse'), { recursive: true, force: true });
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    return await statementCosts(stepOf, () => loadLanding(warehouse, new Data(dataDir)));
  } finally {
    await warehouse.close();
  }
}

const OTHER = 'hash the parts, and all other steps';
// The first pattern that a statement contains decides its step.
const STEPS: readonly [pattern: RegExp, step: string][] = [
  [/batch_shapes|first_bodies|ledger\.shapes/, 'look for schema drift'],
  [/TEMP TABLE batch_values AS\s+WITH reports/, 'parse and check the values'],
  [/batch_years|batch_contents|next_content/, 'find new contents of years, and store them'],
  [/odd_/, 'find values to reject'],
  [/TEMP TABLE batch AS|INSERT INTO batch_rejects\s+SELECT row_id, fault/, 'read statuses and keys of the answers'],
  [/^COMMIT/, 'commit'],
];

function stepOf(sql: string): string {
  return STEPS.find(([pattern]) => pattern.test(sql))?.[1] ?? OTHER;
}

function stepTable(costs: ReadonlyMap<string, StepCost>, limit: number): ResultTable {
  const joined = new Map<string, number>();
  for (const [name, { ms }] of costs) {
    const step = name === 'other' ? OTHER : name;
    joined.set(step, (joined.get(step) ?? 0) + ms / 1_000);
  }
  return {
    name: 'steps',
    columns: ['step of the whole load', 'CPU', '÷ CPU of the limit'],
    rows: [...joined]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, seconds]) => ({
        name,
        cells: [measured([seconds], 'seconds'), measured([seconds / limit], 'ratio')],
      })),
  };
}

const BASELINE = 'limit: `COPY` from memory to Parquet, zstd';

function variants(dir: string, dataDir: string, limit: DuckDBConnection): Record<string, Variant> {
  const parts = readManifests(dataDir, { stream: 'financials' });
  const out = path.join(dir, 'out.parquet');
  const copy = `COPY long TO '${out}' (FORMAT parquet, COMPRESSION zstd)`;
  return {
    [BASELINE]: async () => ({ run: async () => void (await limit.run(copy)) }),
    // Includes part hashes, drift detection, rejects, ledger and commit.
    "Tidemark's whole load into the warehouse file": async () => {
      rmSync(path.join(dataDir, 'warehouse'), { recursive: true, force: true });
      const warehouse = await openWarehouse(new Data(dataDir));
      return {
        run: async () => void (await loadLanding(warehouse, new Data(dataDir))),
        after: () => warehouse.close(),
      };
    },
    "Tidemark's load in memory, without schema drift": async () => {
      const memory = await openMemory();
      return { run: async () => void (await loadInto(memory, dataDir)), after: memory.close };
    },
    'zod, Arrow typed arrays, Parquet': async () => ({
      run: () => {
        for (const part of parts) writeFileSync(out, encodeLong(checkedValues(part), PART_VALUES));
      },
    }),
    'zod, DuckDB row appender': async () => {
      const { connection, close } = await openTable();
      return {
        run: async () => {
          const appender = await connection.createAppender('long');
          for (const part of parts) {
            for (const { company, year, indicator, number, text } of checkedValues(part)) {
              appender.appendBigInt(company);
              appender.appendInteger(year);
              appender.appendVarchar(indicator);
              if (number === null) appender.appendNull();
              else appender.appendDouble(number);
              if (text === null) appender.appendNull();
              else appender.appendVarchar(text);
              appender.endRow();
            }
          }
          appender.closeSync();
        },
        after: close,
      };
    },
    'zod, NDJSON, read_json': async () => {
      const { connection, close } = await openTable();
      const file = path.join(dir, 'long.ndjson');
      rmSync(file, { force: true });
      return {
        run: async () => {
          for (const part of parts) {
            const lines = Array.from(checkedValues(part), ({ company, ...row }) =>
              JSON.stringify({ company: String(company), ...row }),
            );
            appendFileSync(file, `${lines.join('\n')}\n`);
          }
          await connection.run(
            `INSERT INTO long SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = {company: 'BIGINT', year: 'INTEGER', indicator: 'VARCHAR', number: 'DOUBLE', text: 'VARCHAR'})`,
          );
        },
        after: close,
      };
    },
  };
}

interface Memory {
  db: Database;
  connection: DuckDBConnection;
  close: () => void;
}

/** Opens a warehouse in memory, to measure the SQL alone. */
async function openMemory(): Promise<Memory> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const db = new Database(connection, ':memory:');
  await prepareSession(db);
  await ensureSchema(db);
  return { db, connection, close: () => (connection.closeSync(), instance.closeSync()) };
}

/** Loads all landed parts, without drift detection. Returns the number of values. */
async function loadInto({ db }: Memory, dataDir: string): Promise<number> {
  await loadLanding(
    {
      db,
      assertHeld: () => undefined,
      closeFile: () => Promise.resolve(),
      replaceFile: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    new Data(dataDir),
    {
      drift: () => Promise.resolve(),
    },
  );
  return db.count('SELECT count(*) FROM base.year_values');
}

async function openTable(): Promise<{ connection: DuckDBConnection; close: () => void }> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE long (${LONG})`);
  return { connection, close: () => (connection.closeSync(), instance.closeSync()) };
}
