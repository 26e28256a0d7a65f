import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError, QueryAnswer, SavedQuery } from '../../../../schemas/explorer/api.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { publishTwoNights, startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';

let dataDir: string;
let explorer: TestExplorer;
let next = 0;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => `Company ${id}`);
  explorer = await startTestExplorer(dataDir);
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const newId = (): string => `query-${String(next++).padStart(8, '0')}`;
const run = async (sql: string, more: object = {}): Promise<QueryAnswer & ApiError> =>
  explorer.post('/api/v1/query', { id: newId(), sql, ...more });
const save = async (sql: string, format: string): Promise<Response> =>
  explorer.ask('/api/v1/export', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: newId(), sql, format }),
  });

describe('a query', () => {
  it('returns values that JSON can hold, with types', async () => {
    const { columns, rows } = await run(
      `SELECT 9007199254740993::BIGINT AS big, DATE '2026-01-02' AS day, TIMESTAMPTZ '2026-01-02 03:04:05+00' AS at,
        [1, NULL] AS list, NULL AS nothing, 'inf'::DOUBLE AS endless, 1.50::DECIMAL(9, 2) AS price`,
    );
    expect(rows).toEqual([
      ['9007199254740993', '2026-01-02', '2026-01-02T03:04:05Z', [1, null], null, 'Infinity', 1.5],
    ]);
    expect(columns.map(({ type }) => type)).toEqual([
      'BIGINT',
      'DATE',
      'TIMESTAMP WITH TIME ZONE',
      'INTEGER[]',
      'INTEGER',
      'DOUBLE',
      'DECIMAL(9,2)',
    ]);
  });

  it('stops at the row limit, and says that more rows exist', async () => {
    expect(await run('FROM range(10)', { rows: 3 })).toMatchObject({ rows: [[0], [1], [2]], more: true });
    expect(await run('FROM range(3)', { rows: 3 })).toMatchObject({ more: false });
  });

  it('runs several statements, and shows the last', async () => {
    expect(await run('SELECT 1; SELECT 2;')).toMatchObject({ rows: [[2]] });
  });

  it('explains an error of the query', async () => {
    expect((await run('SELECT nothing FROM core.companies')).error).toMatchObject({
      message: expect.stringContaining('nothing'),
      todo: expect.stringContaining('Correct'),
    });
    expect((await run('-- nothing')).error.message).toContain('no statement');
  });

  it('ends at the time limit', async () => {
    const { error } = await run('SELECT count(*) FROM range(1000000) a, range(1000000) b', { seconds: 1 });
    expect(error.message).toContain('longer than 1 s');
  });

  it('ends when it is cancelled', async () => {
    const id = newId();
    const sql = 'SELECT count(*) FROM range(1000000) a, range(1000000) b';
    const answer = explorer.post<ApiError>('/api/v1/query', { id, sql, seconds: 600 });
    // The request may arrive after the first cancellation.
    const timer = setInterval(() => void explorer.ask(`/api/v1/query/${id}`, { method: 'DELETE' }), 50);
    try {
      expect((await answer).error.message).toContain('cancelled');
    } finally {
      clearInterval(timer);
    }
  });
});

describe('what a query must not do', () => {
  let secret: string;
  beforeAll(() => {
    secret = path.join(dataDir, 'secret.csv');
    writeFileSync(secret, 'a\nhidden\n');
  });

  it.each([
    ['read a file', () => `FROM read_csv('${secret}')`],
    ['read a file by its name', () => `FROM '${secret}'`],
    ['read a text', () => `FROM read_text('${secret}')`],
    ['list files', () => `FROM glob('${dataDir}/*')`],
    ['read from the network', () => `FROM read_csv('http://127.0.0.1:1/x.csv')`],
    ['write a file', () => `COPY (SELECT 1) TO '${dataDir}/out.csv'`],
    ['export the database', () => `EXPORT DATABASE '${dataDir}/out'`],
    ['attach a database', () => `ATTACH '${dataDir}/warehouse/tidemark.duckdb' AS w`],
    ['change a setting', () => 'SET enable_external_access = true'],
    ['unlock the settings', () => 'SET lock_configuration = false'],
    ['reset a setting', () => 'RESET allowed_directories'],
    ['change a setting by pragma', () => `PRAGMA enable_profiling='json'`],
    ['install an extension', () => 'INSTALL httpfs'],
    ['load an extension', () => 'LOAD httpfs'],
    ['store a secret', () => `CREATE PERSISTENT SECRET s (TYPE s3)`],
    ['change data', () => 'DELETE FROM core.companies'],
    ['create a table', () => 'CREATE TABLE t AS SELECT 1'],
    ['hide a statement', () => `SELECT 1; COPY (SELECT 1) TO '${dataDir}/out.csv'`],
    ['prepare a statement', () => `PREPARE p AS COPY (SELECT 1) TO '${dataDir}/out.csv'`],
  ])('cannot %s', async (_, sql) => {
    const before = readdirSync(dataDir);
    const answer = await run(sql());
    expect(answer.error).toBeDefined();
    expect(JSON.stringify(answer)).not.toContain('hidden');
    expect(readdirSync(dataDir)).toEqual(before);
  });
});

describe('an export', () => {
  const sql = `SELECT company_id, name, DATE '2026-01-02' AS day, '=1+1' AS formula FROM core.companies ORDER BY company_id`;

  it('writes CSV without formulas', async () => {
    const answer = await save(sql, 'csv');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="result.csv"');
    expect(answer.headers.get('x-tidemark-night')).toBe('2026-11-21');
    const lines = (await answer.text()).split('\r\n');
    expect(lines[0]).toBe('company_id,name,day,formula');
    expect(lines[1]).toBe(`1,Company 1,2026-01-02,'=1+1`);
    expect(lines).toHaveLength(7);
  });

  it('writes Parquet', async () => {
    const file = path.join(dataDir, 'result.parquet');
    const answer = await save(sql, 'parquet');
    expect(answer.headers.get('x-tidemark-night')).toBe('2026-11-21');
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    const rows = await withMemory(file, async (db) => db.rows(`SELECT * FROM '${file}' LIMIT 1`));
    expect(rows).toEqual([{ company_id: '1', name: 'Company 1', day: '2026-01-02', formula: '=1+1' }]);
  });

  it('writes an Arrow stream', async () => {
    const table = tableFromIPC(new Uint8Array(await (await save(sql, 'arrow')).arrayBuffer()));
    expect(table.numRows).toBe(5);
    expect(table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`)).toEqual([
      'company_id Int64',
      'name Utf8',
      'day Date32<DAY>',
      'formula Utf8',
    ]);
  });

  it.each(['csv', 'arrow'])('breaks the connection if a query fails after its first rows, %s', async (format) => {
    const failing = `SELECT CASE WHEN i = 3000000 THEN error('broken row') ELSE i END AS i FROM range(6000000) r(i)`;
    const answer = await save(failing, format);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
  });

  it.each(['csv', 'parquet', 'arrow'])('answers a wrong query as JSON, %s', async (format) => {
    const answer = await save('SELECT nothing FROM core.companies', format);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as ApiError).error.message).toContain('nothing');
    expect((await save(`COPY (SELECT 1) TO '${dataDir}/x.csv'`, format)).status).toBe(400);
  });
});

describe('saved queries', () => {
  const put = async (name: string, sql: string): Promise<number> =>
    (
      await explorer.ask(`/api/v1/saved/${encodeURIComponent(name)}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sql }),
      })
    ).status;

  it('are files in the folder of the user', async () => {
    expect(await put('Größte Firmen', 'SELECT 1')).toBe(204);
    expect(readFileSync(path.join(explorer.savedQueries, 'Größte Firmen.sql'), 'utf8')).toBe('SELECT 1\n');
    const { queries } = await explorer.json<{ queries: SavedQuery[] }>('/api/v1/saved');
    expect(queries).toEqual([{ name: 'Größte Firmen', sql: 'SELECT 1\n' }]);
    await explorer.ask(`/api/v1/saved/${encodeURIComponent('Größte Firmen')}`, { method: 'DELETE' });
    expect(await explorer.json('/api/v1/saved')).toMatchObject({ queries: [] });
  });

  it.each(['../out', '..', 'a/b', String.raw`a\b`, '.hidden', '', 'a\0b', 'x'.repeat(90)])(
    'refuse the name %j',
    async (name) => {
      expect(await put(name, 'SELECT 1')).toBeGreaterThanOrEqual(400);
      expect(readdirSync(path.dirname(explorer.savedQueries)).filter((file) => file.endsWith('.sql'))).toEqual([]);
    },
  );
});
