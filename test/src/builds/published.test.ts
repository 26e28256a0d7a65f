import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NotPublishedError } from '../../../src/duckdb/errors.js';
import { cleanEnv, startProcess } from '../../helpers/processes.js';
import { openPublished } from '../../../src/builds/published.js';

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
  it('gives plain values of every kind of column', async () => {
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

  it('stops at a limit and says that there is more', async () => {
    const published = await openPublished(dataDir);
    const some = await published.query('SELECT id FROM n ORDER BY id', { limit: 3 });
    const all = await published.query('SELECT id FROM n');
    published.close();
    expect(some).toEqual({ columns: ['id'], rows: [[0], [1], [2]], more: true });
    expect(all.rows).toHaveLength(5_000);
    expect(all.more).toBe(false);
  });

  it('writes nothing and says DuckDB’s own words about a wrong query', async () => {
    const published = await openPublished(dataDir);
    await expect(published.query('DROP TABLE n')).rejects.toThrow(/read-only/);
    await expect(published.query('SELECT * FROM nowhere')).rejects.toThrow(/Table with name nowhere does not exist/);
    published.close();
  });

  it('says what to do when another program has the file open for writing', async () => {
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

  it('says who may read it where the way there is closed', () => {
    // As root every file can be read, so the words of the system are given.
    const refused = new NotPublishedError('market.duckdb', new Error('EACCES: permission denied, realpath'));
    expect(refused.todo).toMatch(/^The key `readers` in tidemark\.yaml decides who/);
  });

  it('says so when nothing is published', async () => {
    const elsewhere = path.join(dataDir, 'elsewhere');
    await expect(openPublished(elsewhere)).rejects.toThrow(/There is no published warehouse/);
    await expect(openPublished(elsewhere)).rejects.toBeInstanceOf(NotPublishedError);
  });

  it('says so when what is published is no database', async () => {
    writeFileSync(path.join(dataDir, 'published', 'builds', 'one.duckdb'), 'this is no database'.repeat(1_000));
    await expect(openPublished(dataDir)).rejects.toThrow(/cannot be opened/);
  });
});
