import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NotPublishedError } from '../../../../src/warehouse/duckdb/errors.js';
import { cleanEnv, startProcess } from '../../../helpers/processes.js';
import { openPublished, queryPublished } from '../../../../src/warehouse/builds/published.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-published-'));
  const builds = path.join(dataDir, 'published', 'builds');
  mkdirSync(builds, { recursive: true });
  const instance = await DuckDBInstance.create(path.join(builds, 'one.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE n AS SELECT range AS id FROM range(5000)');
  connection.closeSync();
  instance.closeSync();
  symlinkSync(path.join('builds', 'one.duckdb'), path.join(dataDir, 'published', 'market.duckdb'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('openPublished', () => {
  it('gives plain values for every type of column', async () => {
    const published = await openPublished(dataDir);
    const { columns, rows } = await published.query(`
      SELECT 9007199254740993::BIGINT AS big, 7::BIGINT AS small, 1.50::DECIMAL(10,2) AS money, DATE '2026-11-20' AS day,
        TIMESTAMPTZ '2026-11-20 02:00:00+01' AS at, [1, 2] AS list, {'a': NULL} AS record, MAP {'k': 1} AS map, 'nan'::DOUBLE AS nan`);
    published.close();
    expect(columns).toEqual(['big', 'small', 'money', 'day', 'at', 'list', 'record', 'map', 'nan']);
    expect(rows[0]).toEqual([
      '9007199254740993',
      7,
      1.5,
      '2026-11-20',
      '2026-11-20T01:00:00Z',
      [1, 2],
      { a: null },
      { k: 1 },
      'NaN',
    ]);
  });

  it('stops at the limit and reports that more rows exist', async () => {
    const published = await openPublished(dataDir);
    const some = await published.query('SELECT id FROM n ORDER BY id', { limit: 3 });
    const all = await published.query('SELECT id FROM n');
    published.close();
    expect(some).toEqual({ columns: ['id'], rows: [[0], [1], [2]], more: true });
    expect(all.rows).toHaveLength(5_000);
    expect(all.more).toBe(false);
  });

  it('returns rows as objects and in batches, and accepts parameters', async () => {
    const published = await openPublished(dataDir);
    expect(published.file).toBe(path.join(dataDir, 'published', 'market.duckdb'));
    expect(
      await published.objects('SELECT id, NULL AS nothing FROM n WHERE id < $top ORDER BY id', { top: 2 }),
    ).toEqual([
      { id: 0, nothing: null },
      { id: 1, nothing: null },
    ]);
    const { columns, batches } = await published.stream('SELECT id, id AS id FROM n ORDER BY ALL');
    const rows: unknown[] = [];
    let times = 0;
    for await (const batch of batches) {
      times++;
      rows.push(...batch);
    }
    expect(new Set(columns).size).toBe(2);
    expect(times).toBeGreaterThan(1);
    expect(rows).toHaveLength(5_000);
    expect(rows.at(-1)).toEqual([4_999, 4_999]);
    await published.run('SET VARIABLE top = 3');
    expect((await published.query(`SELECT getvariable('top')`)).rows).toEqual([[3]]);
    published.close();
  });

  it('reports more rows only beyond the limit', async () => {
    const published = await openPublished(dataDir);
    expect(await published.query('SELECT id FROM n WHERE id < 3', { limit: 3 })).toMatchObject({ more: false });
    expect(await published.query('SELECT id FROM n WHERE id < 3', { limit: 2 })).toMatchObject({ more: true });
    published.close();
  });

  it('gives a remedy with each query error, even while reading rows', async () => {
    const published = await openPublished(dataDir);
    const readOnly = {
      type: 'ModelFailed',
      todo: 'The published warehouse is read-only. Use a query that only reads.',
    };
    const wrong = { type: 'ModelFailed', todo: expect.stringMatching(/^Correct the query; /) as string };
    await expect(published.query('DROP TABLE n')).rejects.toMatchObject(readOnly);
    await expect(published.run('DROP TABLE n')).rejects.toMatchObject(readOnly);
    await expect(published.run('SELECT FROM')).rejects.toMatchObject(wrong);
    await expect(published.stream('SELECT nothing FROM n')).rejects.toMatchObject(wrong);
    const late = `SELECT CASE WHEN id > 4000 THEN error('too late') ELSE id END FROM n`;
    await expect(published.query(late)).rejects.toMatchObject({
      ...wrong,
      message: expect.stringContaining('too late') as string,
    });
    published.close();
  });

  it('downloads no extension and closes the file after each query', async () => {
    expect(await queryPublished(dataDir, `SELECT current_setting('autoinstall_known_extensions')`)).toEqual([[false]]);
    await expect(queryPublished(dataDir, 'SELECT nothing FROM n')).rejects.toThrow('nothing');
    const instance = await DuckDBInstance.create(path.join(dataDir, 'published', 'builds', 'one.duckdb'));
    instance.closeSync();
  });

  it("rejects writes and passes on DuckDB's message for a wrong query", async () => {
    const published = await openPublished(dataDir);
    await expect(published.query('DROP TABLE n')).rejects.toThrow(/read-only/);
    await expect(published.query('SELECT * FROM nowhere')).rejects.toThrow(/Table with name nowhere does not exist/);
    published.close();
  });

  it('names the remedy when another program has the file open for writing', async () => {
    const file = path.join(dataDir, 'published', 'builds', 'one.duckdb');
    const open = `const { DuckDBInstance } = await import('@duckdb/node-api');
      globalThis.held = await DuckDBInstance.create(${JSON.stringify(file)});
      console.log('open'); setInterval(() => undefined, 1000);`;
    const writer = await startProcess(['--input-type=module', '-e', open], { env: cleanEnv({}), ready: /^open/ });
    onTestFinished(async () => writer.stop('SIGKILL'));
    await expect(openPublished(dataDir)).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be opened: .*lock/),
      todo: 'Close the program that has the file open for writing, or open it read-only there.',
    });
  });

  it('names the setting `readers` when permission is denied', () => {
    // Root can read every file, so the test supplies the system's message.
    const refused = new NotPublishedError('market.duckdb', new Error('EACCES: permission denied, realpath'));
    expect(refused.todo).toMatch(/^The setting `readers` in tidemark\.yaml decides who/);
  });

  it('reports that nothing is published', async () => {
    const elsewhere = path.join(dataDir, 'elsewhere');
    await expect(openPublished(elsewhere)).rejects.toThrow(/There is no published warehouse/);
    await expect(openPublished(elsewhere)).rejects.toBeInstanceOf(NotPublishedError);
  });

  it('reports that the published file is no database', async () => {
    writeFileSync(path.join(dataDir, 'published', 'builds', 'one.duckdb'), 'this is no database'.repeat(1_000));
    await expect(openPublished(dataDir)).rejects.toThrow(/cannot be opened/);
  });
});
