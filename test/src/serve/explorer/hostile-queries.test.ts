import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance, StatementType } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError, QueryAnswer } from '../../../../schemas/explorer/api.js';
import { ALLOWED_PRAGMAS, ALLOWED_TABLE_FUNCTIONS } from '../../../../src/serve/explorer/user-sql/allowed.js';
import { LIST_FUNCTIONS, randomQueries, type ListedFunction } from '../../../helpers/random-queries.js';
import { publishTwoNights, startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';

let dataDir: string;
let outside: string;
let explorer: TestExplorer;
let next = 0;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => `Company ${id}`);
  outside = mkdtempSync(path.join(tmpdir(), 'tidemark-outside-'));
  explorer = await startTestExplorer(dataDir);
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const newId = (): string => `hostile-${String(next++).padStart(8, '0')}`;
const run = async (sql: string, more: object = {}): Promise<QueryAnswer & ApiError> =>
  explorer.post('/api/v1/query', { id: newId(), sql, ...more });

/** The names in a list of DuckDB. */
async function listed(sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  connection.closeSync();
  instance.closeSync();
  return rows.map(([name]) => String(name));
}

// `npm test` takes fewer spellings, arguments and random queries than `npm run test:long`.
const ALL = process.env['HOSTILE_QUERIES'] === 'all';
const ARGUMENTS = ['', "'x'", '1, 2, 3', 'NULL', '1', "'core.companies'", "'{}'"];

describe('what DuckDB offers', () => {
  it('contains each allowed function and pragma', async () => {
    const functions = await listed(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')`,
    );
    const pragmas = await listed(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'pragma'`,
    );
    expect([...ALLOWED_TABLE_FUNCTIONS].filter((name) => !functions.includes(name))).toEqual([]);
    expect([...ALLOWED_PRAGMAS].filter((name) => !pragmas.includes(name))).toEqual([]);
  });

  it('refuses every other table function, however it is written', async () => {
    const functions = await listed(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro') ORDER BY 1`,
    );
    const others = functions.filter((name) => !ALLOWED_TABLE_FUNCTIONS.has(name));
    expect(others).toEqual(expect.arrayContaining(['enable_logging', 'query', 'read_csv', 'arrow_scan', 'checkpoint']));
    for (const [at, name] of others.entries()) {
      const spellings = [
        `FROM ${name}()`,
        `SELECT (SELECT count(*) FROM system.main."${name.toUpperCase()}"('x')) /* " */`,
        `WITH a AS MATERIALIZED (FROM ${name}('x')) SELECT 1`,
        `EXPLAIN ANALYZE FROM ${name}('x')`,
        `SELECT 1; FROM ${name}('x')`,
      ];
      for (const sql of ALL ? spellings : [spellings[0]!, spellings[1 + (at % 4)]!]) {
        const { error } = await run(sql);
        expect.soft(error?.message, sql).toContain(`${name} does not run here`);
      }
    }
  });

  it('lets every allowed table function end in an answer or an error', async () => {
    for (const name of ALLOWED_TABLE_FUNCTIONS) {
      for (const values of ALL ? ARGUMENTS : ARGUMENTS.slice(0, 4)) {
        const answer = await run(`FROM ${name}(${values}) LIMIT 3`);
        expect(answer.error?.message ?? '', `${name}(${values})`).not.toContain('ended the process');
      }
    }
  });

  it('refuses every pragma that does more than describe', async () => {
    const pragmas = await listed(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'pragma' ORDER BY 1`,
    );
    for (const name of pragmas) {
      for (const sql of [`PRAGMA ${name}`, `PRAGMA ${name}('${outside}/x')`, `PRAGMA ${name} = '${outside}/x'`]) {
        const { error } = await run(sql);
        if (!ALLOWED_PRAGMAS.has(name) || sql.includes('=')) expect.soft(error, sql).toBeDefined();
        expect.soft(error?.message ?? '', sql).not.toContain('ended the process');
      }
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  // One statement for each kind. A kind that DuckDB adds needs an entry here.
  const KINDS: Record<keyof typeof StatementType, { sql: string; runs?: true } | null> = {
    INVALID: null,
    SELECT: { sql: 'SELECT 1', runs: true },
    INSERT: { sql: 'INSERT INTO core.companies_history (company_id) VALUES (1)' },
    UPDATE: { sql: 'UPDATE core.companies_history SET name = NULL' },
    EXPLAIN: { sql: 'EXPLAIN (FORMAT json) SELECT 1', runs: true },
    DELETE: { sql: 'DELETE FROM core.companies_history' },
    PREPARE: { sql: 'PREPARE p AS SELECT 1' },
    CREATE: { sql: 'CREATE TEMP TABLE t AS SELECT 1' },
    EXECUTE: { sql: 'EXECUTE p' },
    ALTER: { sql: 'ALTER TABLE core.companies_history ADD COLUMN x INTEGER' },
    TRANSACTION: { sql: 'BEGIN TRANSACTION' },
    COPY_DATABASE: { sql: 'COPY FROM DATABASE market TO x' },
    UPDATE_EXTENSIONS: { sql: 'UPDATE EXTENSIONS' },
    MERGE_INTO: {
      sql: 'MERGE INTO core.companies_history USING core.companies_history c USING (company_id) WHEN MATCHED THEN DELETE',
    },
    COPY: { sql: `COPY (SELECT 1) TO 'x.csv'` },
    ANALYZE: { sql: 'ANALYZE' },
    VARIABLE_SET: { sql: 'SET VARIABLE x = 1' },
    CREATE_FUNC: { sql: 'CREATE MACRO m() AS 1' },
    DROP: { sql: 'DROP TABLE core.companies_history' },
    EXPORT: { sql: `EXPORT DATABASE 'x'` },
    PRAGMA: { sql: 'PRAGMA version', runs: true },
    VACUUM: { sql: 'VACUUM' },
    CALL: { sql: `CALL enable_logging('QueryLog')` },
    SET: { sql: 'SET threads = 1' },
    LOAD: { sql: 'LOAD httpfs' },
    RELATION: null,
    EXTENSION: null,
    LOGICAL_PLAN: null,
    ATTACH: { sql: `ATTACH ':memory:' AS x` },
    DETACH: { sql: 'DETACH market' },
    MULTI: { sql: 'PIVOT core.companies_history ON status USING count(*)' },
  };
  const kinds = Object.keys(StatementType).filter((name) => Number.isNaN(Number(name))) as (keyof typeof KINDS)[];

  it.each(kinds)('runs a statement of kind %s only if it reads', async (kind) => {
    expect(Object.keys(KINDS)).toContain(kind);
    const entry = KINDS[kind];
    if (entry === null) return;
    const { error } = await run(entry.sql);
    if (entry.runs) expect(error).toBeUndefined();
    else expect(error).toBeDefined();
  });
});

// `npm test` takes the first.
const TOO_MUCH = [
  ['many lists', `SELECT list(repeat('x', 1000)) FROM range(9000000) GROUP BY ALL`],
  ['a text of a gigabyte', `SELECT length(repeat(repeat('x', 100000), 40000)), repeat(repeat('x', 100000), 40000)`],
  ['long texts', `SELECT repeat('x', 1000000) FROM range(50000)`],
  ['long lists', 'SELECT range(100000) FROM range(30000)'],
  ['a window over long texts', `SELECT max(repeat('y', 100000)) OVER (ORDER BY range DESC) FROM range(60000)`],
] as const;

describe('a query that takes too much', () => {
  it.each(ALL ? TOO_MUCH : TOO_MUCH.slice(0, 1))('ends without harm: %s', async (_, sql) => {
    const answer = await run(sql, { seconds: 60 });
    const { message, todo } = answer.error ?? { message: '', todo: '' };
    if (answer.error !== undefined) {
      expect(message).toMatch(/memory|Out of Memory/i);
      expect(todo).toContain('Select fewer rows');
    } else expect(answer.rows.length > 0).toBe(true);
    expect((await run('SELECT 7')).rows).toEqual([[7]]);
  });

  it('cuts long values, and says so', async () => {
    const { rows } = await run(`SELECT repeat('x', 30000), range(20000)`);
    for (const value of rows[0] ?? []) expect(value).toMatch(/^[\s\S]{20000}… cut$/);
  });

  it('ends when the answer is larger than a browser can show', async () => {
    const { rows, more, full } = await run(`SELECT repeat('x', 19000) FROM range(40000)`, { rows: 50_000 });
    expect({ more, full }).toEqual({ more: true, full: true });
    expect(rows.length).toBeLessThan(5_000);
  });

  it('nests too deeply', async () => {
    const { error } = await run(`SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`);
    expect(error.message).not.toBe('');
    expect((await run('SELECT 7')).rows).toEqual([[7]]);
  });
});

describe('random queries', () => {
  it.each([
    ['9'.repeat(400), null],
    ['1e400', null],
    [`'"Infinity' || '\\'`, '"Infinity\\'],
    [`'Infinity'`, 'Infinity'],
  ])('run with a number that is too large: %s', async (value, expected) => {
    const { rows, error } = await run(`SELECT ${value}, 7`);
    expect(error).toBeUndefined();
    expect(rows[0]?.[1]).toBe(7);
    if (expected !== null) expect(rows[0]?.[0]).toBe(expected);
  });

  it('cannot hide a function behind a number that is too large', async () => {
    const { error } = await run(`SELECT ${'9'.repeat(400)}, 'Infinity' FROM enable_logging('QueryLog')`);
    expect(error.message).toContain('enable_logging does not run here');
  });

  it('end in an answer or a short error, and leave the build as it was', async () => {
    const { rows } = await run(LIST_FUNCTIONS, { rows: 50_000 });
    const functions = rows.map(([name, type, parameters]) => ({ name, type, parameters }) as ListedFunction);
    expect(functions.length).toBeGreaterThan(1_000);
    const before = await run(`SELECT count(*), sum(hash(c)) FROM core.companies AS c`);
    const queries = randomQueries(functions, 7, ALL ? 40 : 16);
    for (let i = 0; i < queries.length; i += 4) {
      const some = queries.slice(i, i + 4);
      const answers = await Promise.all(some.map((sql) => run(sql, { seconds: 1, rows: 100 })));
      for (const [at, { columns, error }] of answers.entries()) {
        const text = some[at]?.slice(0, 200);
        expect.soft(columns !== undefined || (error.message !== '' && error.message.length < 2_100), text).toBe(true);
      }
    }
    expect((await run(`SELECT count(*), sum(hash(c)) FROM core.companies AS c`)).rows).toEqual(before.rows);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('a query whose process dies', () => {
  it('says what happened, and the next query works', async () => {
    const before = new Set(queryProcesses());
    const answer = run('SELECT count(*) FROM range(1000000) a, range(1000000) b', { seconds: 60 });
    let killed = 0;
    while (killed === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (const pid of queryProcesses()) if (!before.has(pid) || before.size <= 2) killed += kill(pid, 'SIGABRT');
    }
    expect((await answer).error.message).toMatch(/ended the process that runs queries \(SIGABRT\)/);
    expect((await run('SELECT 7')).rows).toEqual([[7]]);
  });

  it('has no secret of the explorer in its environment', () => {
    for (const pid of queryProcesses()) {
      const names = environment(pid).map((entry) => entry.split('=')[0]);
      expect(names.filter((name) => /KEY|SECRET|TOKEN|TIDEMARK|AWS/.test(name ?? ''))).toEqual([]);
    }
  });
});

describe('an export that fails half-way', () => {
  const slow = `SELECT i, CASE WHEN i = 300000 THEN error('broken row') ELSE i END FROM range(9000000000) r(i)`;

  it.each([
    ['an error', { sql: slow, seconds: 600 }],
    ['the time limit', { sql: 'FROM range(9000000000)', seconds: 1 }],
  ])('breaks the connection after %s', async (_, body) => {
    const { ended, bytes } = await download({ id: newId(), format: 'csv', ...body });
    expect(bytes).toBeGreaterThan(0);
    expect(ended).toBe('broken');
  });

  it('breaks the connection when it is cancelled', async () => {
    const id = newId();
    const result = download({ id, format: 'csv', sql: 'FROM range(9000000000)', seconds: 600 }, () => {
      void explorer.ask(`/api/v1/query/${id}`, { method: 'DELETE' });
    });
    expect((await result).ended).toBe('broken');
  });

  it('ends the connection as usual after the last row', async () => {
    const { ended, status } = await download({ id: newId(), format: 'csv', sql: 'FROM range(30000)', seconds: 60 });
    expect({ ended, status }).toEqual({ ended: 'complete', status: 200 });
  });
});

/** Downloads an export. `ended`: whether the connection ended as HTTP demands. */
async function download(
  body: object,
  onData?: () => void,
): Promise<{ status: number; bytes: number; ended: 'complete' | 'broken' }> {
  const cookie = await signedIn();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${explorer.url}/api/v1/export`,
      { method: 'POST', headers: { 'content-type': 'application/json', cookie } },
      (answer) => {
        let bytes = 0;
        answer.on('data', (data: Buffer) => {
          if (bytes === 0) onData?.();
          bytes += data.length;
        });
        answer.on('error', () => undefined);
        answer.on('close', () =>
          resolve({ status: answer.statusCode ?? 0, bytes, ended: answer.complete ? 'complete' : 'broken' }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function signedIn(): Promise<string> {
  const answer = await fetch(explorer.address, { redirect: 'manual' });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Ids of the processes that run queries for this test. */
function queryProcesses(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === process.pid && commandOf(pid).includes('query-process'));
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readProc(pid, 'status'))?.[1]);
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline');
}

function environment(pid: number): string[] {
  return readProc(pid, 'environ').split('\0');
}

function readProc(pid: number, file: string): string {
  const at = `/proc/${pid}/${file}`;
  try {
    return existsSync(at) ? readFileSync(at, 'utf8') : '';
  } catch {
    return '';
  }
}

function kill(pid: number, signal: NodeJS.Signals): number {
  process.kill(pid, signal);
  return 1;
}
