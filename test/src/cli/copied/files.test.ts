import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quote } from '../../../../src/warehouse/duckdb/sql-files.js';
import { openInstance } from '../../../../src/warehouse/duckdb/instance.js';
import { copiedBuild, type CopiedBuild } from '../../../helpers/copied-build.js';
import { sha256 as hashOf } from '../../../../src/base/hash.js';

interface Answer {
  build: string;
  rows: number;
  columns: { name: string; type: string }[];
  files: { path: string; bytes: number; rows: number; sha256: string }[];
}

let copied: CopiedBuild;

beforeAll(async () => {
  copied = await copiedBuild();
  await copied.next('2026-11-21', [1, 2, 3, 4]);
});

afterAll(() => copied?.remove());

const files = async (...args: string[]) => copied.run('files', '--from', copied.shared, ...args);

it('prints files that together have the rows of the table', async () => {
  const { stdout } = await files('marts.market_daily');
  const paths = stdout.trimEnd().split('\n');
  const connection = await (await openInstance(':memory:', {})).connect();
  const read = await connection.runAndReadAll(
    `SELECT date::VARCHAR, companies FROM read_parquet([${paths.map(quote).join()}], hive_partitioning = false) ORDER BY 1`,
  );
  expect(read.getRows()).toEqual([
    ['2026-11-20', 3n],
    ['2026-11-21', 4n],
  ]);
});

it('prints sizes, hashes, rows and columns as JSON', async () => {
  const answer = JSON.parse((await files('marts.market_daily', '--json')).stdout) as Answer;
  expect(answer).toMatchObject({ place: copied.shared, table: 'marts.market_daily', rows: 2 });
  expect(answer.build).toBeDefined();
  expect(answer.columns).toContainEqual({ name: 'market', type: 'VARCHAR' });
  expect(answer.files.map(({ rows }) => rows)).toEqual([1, 1]);
  for (const { path: file, bytes, sha256 } of answer.files) {
    expect(statSync(file).size).toBe(bytes);
    expect(hashOf(readFileSync(file))).toBe(sha256);
  }
});

it('lists the tables if none is named', async () => {
  expect((await files()).stdout).toMatch(/core\.companies +4 +1 /);
  const { tables } = JSON.parse((await files('--json')).stdout) as { tables: { table: string }[] };
  expect(tables.map(({ table }) => table)).toContain('marts.market_daily');
});

it('prints a view for Spark and a check of its rows', async () => {
  const { stdout } = await files('ops.nights', '--spark');
  expect(stdout).toMatch(/^CREATE OR REPLACE TEMPORARY VIEW `ops_nights` USING parquet OPTIONS \(path 'file:/);
  expect(stdout).toContain('SELECT assert_true(count(*) = 2, ');
});

it('suggests near names for an unknown table', async () => {
  const { code, stderr } = await files('core.compnies');
  expect(code).toBe(2);
  expect(stderr).toMatch(/The build .* has no table "core\.compnies"\. Did you mean "core\.companies"/);
});

it('reads publish.to of the configuration without --from', async () => {
  const config = path.join(copied.elsewhere, 'tidemark.yaml');
  writeFileSync(config, `api: { baseUrl: 'http://127.0.0.1:1' }\npublish: { to: ${JSON.stringify(copied.shared)} }\n`);
  expect((await copied.run('files', 'ops.nights', '--config', config)).stdout).toBe((await files('ops.nights')).stdout);
  writeFileSync(config, `api: { baseUrl: 'http://127.0.0.1:1' }\n`);
  const { code, stderr } = await copied.run('files', 'ops.nights', '--config', config);
  expect(code).toBe(2);
  expect(stderr).toContain('`publish.to` is not set, and there is no --from.');
});
