import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../../../../helpers/processes.js';
import { installPython } from '../../../../helpers/python.js';
import { runCli } from '../../../../helpers/run-cli.js';
import { publishWorld } from '../../../../helpers/world-warehouse.js';
import { mart, writeOwn } from '../own/own-folder.js';
import { EVERY_KIND } from './every-kind.js';

/*
 * Runs examples/dbt with dbt itself, on a published market and with the files of `tidemark models docs --dbt`. Installs
 * dbt from PyPI; see examples/dbt/requirements.txt.
 */

const run = promisify(execFile);
const packages = readFileSync(path.join(ROOT, 'examples', 'dbt', 'requirements.txt'), 'utf8')
  .trim()
  .split('\n');

let folder: string;
let project: string;
let python: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-dbt-'));
  mkdirSync(path.join(folder, 'models', 'marts'), { recursive: true });
  writeFileSync(path.join(folder, 'models', 'marts', 'every_kind.sql'), EVERY_KIND);
  writeFileSync(path.join(folder, 'tidemark.yaml'), 'api: { baseUrl: "http://127.0.0.1:1" }\nmodels: ./models\n');
  const own = path.join(folder, 'models');
  writeOwn(own, {
    'macros/regions.sql':
      'CREATE MACRO twice(x) AS 2 * x; CREATE MACRO region_of(x) AS twice(x) + (SELECT count(*) FROM seed_regions)',
    'seeds/regions.csv': 'code\n01\n',
    'marts/regions.sql': mart('regions', 'SELECT region_of(company_id) AS id FROM core.companies'),
  });
  await publishWorld(path.join(folder, 'data'), { modelsDir: path.join(folder, 'models') });
  project = path.join(folder, 'dbt');
  cpSync(path.join(ROOT, 'examples', 'dbt'), project, { recursive: true });
  python = await installPython('dbt', packages);
  const { code, stderr } = await runCli(['models', 'docs', '--dbt', 'dbt/models/tidemark'], { cwd: folder });
  if (code !== 0) throw new Error(stderr);
}, 1_200_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  code: number;
  output: string;
  /** Status by name of each node that dbt ran, such as `pass` or `fail`. */
  states: Record<string, string>;
}

async function dbt(args: string[], data = path.join(folder, 'data')): Promise<Outcome> {
  const program = path.join(path.dirname(python), 'dbt');
  const env = { ...process.env, TIDEMARK_DATA: data, DBT_PROFILES_DIR: project, DO_NOT_TRACK: '1' };
  const { code, output } = await run(program, ['--no-use-colors', ...args], {
    cwd: project,
    env,
    maxBuffer: 64e6,
  }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, output: error.stdout }),
  );
  const target = path.join(project, 'target', args[0] === 'source' ? 'sources.json' : 'run_results.json');
  if (args[0] === 'parse') return { code, output, states: {} };
  const { results } = JSON.parse(readFileSync(target, 'utf8')) as { results: { unique_id: string; status: string }[] };
  return { code, output, states: Object.fromEntries(results.map((one) => [nameOf(one.unique_id), one.status])) };
}

/** Name of a node: dbt adds a hash to the ids of tests. */
function nameOf(id: string): string {
  return id.replace(/^\w+\.\w+\./, '').replace(/\.[0-9a-f]{10}$/, '');
}

it('parses sources.yml without a warning', async () => {
  const { code, output } = await dbt(['parse', '--warn-error', '--no-partial-parse']);
  expect(output).not.toMatch(/warn|deprecat/i);
  expect(code, output).toBe(0);
});

it('builds the example, and all tests of the published tables pass', async () => {
  const { code, output, states } = await dbt(['build']);
  expect(code, output).toBe(0);
  const tests = Object.entries(states).filter(([name]) => /^(core|marts|ops|meta)_/.test(name));
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.filter(([, state]) => state !== 'pass')).toEqual([]);
  // Braces in descriptions are shown as they are.
  const { sources } = JSON.parse(readFileSync(path.join(project, 'target', 'manifest.json'), 'utf8')) as {
    sources: Record<string, { description: string; columns: Record<string, { description: string }> }>;
  };
  const table = sources['source.market_analysis.tidemark_marts.every_kind'];
  expect(table?.description).toBe(
    'Braces stay: {{ these }}, {% these %} and {# these #}; quotes \'and\' "these", too.',
  );
  expect(table?.columns['company_id']?.description).toBe('Id of the {{ company }}');
  expect(states).toMatchObject({ active_by_country: 'success', fast_growing: 'success' });
  const market = await DuckDBInstance.create(path.join(project, 'analysis.duckdb'), { access_mode: 'READ_ONLY' });
  try {
    const connection = await market.connect();
    const rows = await connection.runAndReadAll('SELECT sum(companies) > 100 AS enough FROM active_by_country');
    expect(rows.getRowObjectsJson()).toEqual([{ enough: true }]);
    connection.closeSync();
  } finally {
    market.closeSync();
  }
});

it('finds wrong rows with the tests that dbt made of the audits', async () => {
  const data = path.join(folder, 'broken');
  mkdirSync(path.join(data, 'published'), { recursive: true });
  const file = path.join(data, 'published', 'market.duckdb');
  cpSync(path.join(folder, 'data', 'published', 'market.duckdb'), file, { dereference: true });
  await execute(file, [
    'INSERT INTO marts.every_kind FROM marts.every_kind WHERE "order" IS NULL LIMIT 1',
    `INSERT INTO marts.every_kind VALUES (NULL, 3, 1.5, 'other', false, now() - INTERVAL 3 DAY), (-1, 1, NULL, NULL, NULL, NULL)`,
    `UPDATE marts.every_kind SET read_at = now() - INTERVAL 3 DAY`,
  ]);
  const { states } = await dbt(['test', '--select', 'source:tidemark_marts.every_kind'], data);
  const test = 'marts_every_kind';
  expect(states).toEqual({
    [`${test}_key_is_unique`]: 'fail',
    [`${test}_company_id_is_not_null`]: 'fail',
    [`${test}_accepted_values_order`]: 'fail',
    [`${test}_accepted_values_state`]: 'fail',
    [`${test}_accepted_values_is_open`]: 'fail',
    [`${test}_range_share`]: 'warn',
    [`${test}_relationships_company_id`]: 'fail',
  });
  const { states: freshness } = await dbt(['source', 'freshness'], data);
  expect(freshness).toEqual({ 'tidemark_marts.every_kind': 'warn' });
  expect((await dbt(['source', 'freshness'])).states).toEqual({ 'tidemark_marts.every_kind': 'pass' });
});

async function execute(file: string, statements: string[]): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  try {
    const connection = await instance.connect();
    for (const sql of statements) await connection.run(sql);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}
