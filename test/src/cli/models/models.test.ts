import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { Data } from '../../../../src/store/data.js';

const PASSING = `
- name: sizes become bounds
  given:
    - { stream: companies, entity: '1', body: { id: 1, name: A, size: 11-50 } }
  expect:
    - query: SELECT company_id, employees_min, employees_max FROM core.companies
      rows: [{ company_id: '1', employees_min: 11, employees_max: 50 }]
`;

const FAILING = `
- name: a wrong bound
  given:
    - { stream: companies, entity: '1', body: { id: 1, size: 11-50 } }
    - { stream: companies, entity: '2', body: { id: 2, size: '7' } }
  expect:
    - query: SELECT company_id, employees_max FROM core.companies ORDER BY company_id
      rows: [{ company_id: '1', employees_max: 51 }]
    - query: SELECT nothing FROM core.companies
      rows: []
    - query: SELECT company_id FROM core.companies ORDER BY company_id
      rows: [{ company_id: '2' }, { company_id: '1' }]
`;

const ROWS = `
- name: figures of the latest year
  model: marts.companies
  given:
    - input: core.companies
      rows: [{ company_id: 2, name: B }, { company_id: 1, founding_date: 1999-12-31 }]
    - input: marts.company_years
      rows:
        - { company_id: 1, fiscal_year: 2023, is_latest: true, turnover: 5, turnover_eur: 5, currency: EUR }
        - { company_id: 2, fiscal_year: 2023, is_latest: true, turnover: 7, currency: DKK }
  expect:
    rows:
      - { company_id: '1', founding_date: '1999-12-31', turnover: 5, turnover_eur: 5 }
      - { company_id: '2', founding_date: null, turnover: 7, turnover_eur: null }
- name: a wrong figure
  model: marts.companies
  given:
    - { input: core.companies, rows: [{ company_id: 2 }, { company_id: 1 }] }
    - { input: marts.company_years, rows: [{ company_id: 2, fiscal_year: 2023, is_latest: true, turnover: 7 }] }
  expect:
    rows: [{ company_id: '2', fiscal_year: 2024 }, { company_id: '1', fiscal_year: null }]
- name: what it does not read
  model: marts.companies
  given: [{ input: core.tenders, rows: [] }]
  expect: { rows: [] }
- name: no such column
  model: marts.companies
  given: [{ input: core.companies, rows: [{ age: 3 }] }]
  expect: { rows: [] }
- name: no such model
  model: marts.nothing
  given: []
  expect: { rows: [] }
`;

let folder: ReturnType<typeof emptyFolder>;

beforeAll(() => {
  folder = emptyFolder();
  mkdirSync(path.join(folder.dir, 'mine', 'deeper'), { recursive: true });
  writeFileSync(path.join(folder.dir, 'mine', 'good.yaml'), PASSING);
  writeFileSync(path.join(folder.dir, 'mine', 'deeper', 'bad.yml'), FAILING);
  writeFileSync(path.join(folder.dir, 'rows.yaml'), ROWS);
  writeFileSync(path.join(folder.dir, 'wrong.yaml'), PASSING.replace('companies,', 'company,'));
});

afterAll(() => folder.remove());

const tidemark = async (...args: string[]) => runCli(args, { cwd: folder.dir });

describe.concurrent('tidemark models test', () => {
  it("models test runs a user's cases without configuration or warehouse", async () => {
    const { code, stdout, stderr } = await tidemark('models', 'test', 'mine/good.yaml');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${path.join('mine', 'good.yaml')}\n  ✔ sizes become bounds\n\n1 of 1 cases pass\n`,
      stderr: '',
    });
  });

  it('models test shows differing rows and columns and exits with 1', async () => {
    const { code, stdout } = await tidemark('models', 'test', 'mine');
    expect(code).toBe(1);
    expect(stdout).toContain(`${path.join('mine', 'deeper', 'bad.yml')}
  ✖ a wrong bound
    SELECT company_id, employees_max FROM core.companies ORDER BY company_id
      row 1 differs
        - employees_max: 51
        + employees_max: 50
      row 2 is not expected
        + company_id: "2", employees_max: 7
    SELECT nothing FROM core.companies
      Binder Error`);
    expect(stdout).toContain('      the same rows in another order: add ORDER BY to the query\n');
    expect(stdout).toContain('  ✔ sizes become bounds\n');
    expect(stdout).toMatch(/\n1 of 2 cases pass, 1 fail\n$/);
  });

  it('models test gives the differences as JSON', async () => {
    const { code, stdout } = await tidemark('models', 'test', 'mine', '--match', 'wrong BOUND', '--json');
    expect(code).toBe(1);
    const { results, ...counts } = JSON.parse(stdout) as { results: { failures: unknown[] }[] };
    expect(counts).toEqual({ cases: 1, failed: 1 });
    expect(results[0]?.failures).toHaveLength(3);
    expect(results[0]?.failures[0]).toMatchObject({
      differences: [
        { kind: 'changed', row: 1, columns: { employees_max: { expected: 51, actual: 50 } } },
        { kind: 'surplus', row: 2, actual: { company_id: '2', employees_max: 7 } },
      ],
    });
  });

  it('models test runs one model on rows and rejects impossible cases', async () => {
    const { code, stdout } = await tidemark('models', 'test', 'rows.yaml');
    expect(code).toBe(1);
    expect(stdout).toBe(`rows.yaml
  ✔ figures of the latest year
  ✖ a wrong figure
    FROM marts.companies
      row 2 differs
        - fiscal_year: 2024
        + fiscal_year: 2023
  ✖ what it does not read
    marts.companies does not read core.tenders: it reads core.companies, core.companies_history, core.market_moves, core.watch_events, marts.company_years, ops.nights.
  ✖ no such column
    core.companies has no column age.
  ✖ no such model
    There is no model marts.nothing.

1 of 5 cases pass, 4 fail
`);
  });

  it('models test runs the shipped cases by default', async () => {
    const { code, stdout } = await tidemark('models', 'test', '--match', 'cases/enrichments.yaml');
    expect(code).toBe(0);
    expect(stdout).toContain(
      '  ✔ finds a person by a search only if all people were read and exactly one has the name\n',
    );
  });

  it.each([
    ['a folder that is not there', ['nowhere'], 'nowhere does not exist'],
    ['a malformed case', ['wrong.yaml'], 'stream'],
    ['no case at all', ['mine', '--match', 'unheard of'], 'No case has "unheard of" in its name or file'],
  ])('models test exits with 2: %s', async (_, args, message) => {
    const { code, stderr } = await tidemark('models', 'test', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe.concurrent('tidemark models docs', () => {
  const docs = async (...args: string[]) => runCli(['models', 'docs', ...args], { cwd: folder.dir });

  it('models docs writes the data dictionary to stdout or a file', async () => {
    const shown = await docs();
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^# Data dictionary\n/);
    const { code, stderr } = await docs('--out', 'dictionary.md');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('dictionary.md') });
    expect(readFileSync(path.join(folder.dir, 'dictionary.md'), 'utf8')).toBe(shown.stdout);
  });

  it('models docs gives the data dictionary as JSON', async () => {
    const { stdout } = await docs('--json');
    const tables = JSON.parse(stdout) as { table: string }[];
    expect(tables.find(({ table }) => table === 'marts.companies')).toMatchObject({
      key: ['company_id'],
      parents: expect.arrayContaining(['core.companies', 'marts.company_years']),
      columns: expect.arrayContaining([
        {
          name: 'turnover',
          type: 'DOUBLE',
          comment: expect.any(String),
          lineage: 'copied',
          from: ['marts.company_years.turnover'],
        },
      ]),
    });
  });

  it('models docs names a file that cannot be written', async () => {
    const { code, stderr } = await docs('--out', 'mine/good.yaml/dictionary.md');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cannot write .*dictionary\.md: /);
  });
});

describe.concurrent('tidemark models docs --dbt', () => {
  it('models docs --dbt writes sources.yml into a new folder, with the permissions of the shell', async () => {
    const { code, stdout, stderr } = await tidemark('models', 'docs', '--dbt', 'dbt/models');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^Written: .*sources\.yml\n$/);
    const modeOf = (...names: string[]) => statSync(path.join(folder.dir, ...names)).mode;
    for (const place of ['dbt', 'dbt/models']) expect(modeOf(place)).toBe(modeOf('mine'));
    expect(modeOf('dbt', 'models', 'sources.yml')).toBe(modeOf('rows.yaml'));
  });

  it.each([
    ['--json', ['--json']],
    ['--out', ['--out', 'x.md']],
  ])('models docs --dbt refuses %s', async (_option, more) => {
    const { code, stderr } = await tidemark('models', 'docs', '--dbt', 'other', ...more);
    expect(code).toBe(2);
    expect(stderr).toContain('--dbt cannot be combined with --json or --out');
  });

  it('models docs --dbt names a folder that cannot be made', async () => {
    const { code, stderr } = await tidemark('models', 'docs', '--dbt', 'rows.yaml/dbt');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cannot write .*rows\.yaml\/dbt/);
  });
});

describe('tidemark models plan', () => {
  let place: ReturnType<typeof emptyFolder>;
  let dataDir: string;

  beforeAll(async () => {
    place = emptyFolder();
    dataDir = path.join(place.dir, 'data');
    writeFileSync(
      path.join(place.dir, 'tidemark.yaml'),
      `{ api: { baseUrl: 'http://127.0.0.1:1' }, data: ./data, markets: [{ name: m }] }`,
    );
    await withWarehouse(async (warehouse) => {
      await buildModels(warehouse);
      await publish(warehouse, dataDir, { run: 'r', now: new Date() });
    });
  });

  afterAll(() => place.remove());

  const plan = async (...args: string[]) => runCli(['models', 'plan', ...args], { cwd: place.dir });

  async function withWarehouse(work: (warehouse: Warehouse) => Promise<void>): Promise<void> {
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await work(warehouse);
    } finally {
      await warehouse.close();
    }
  }

  it('models plan reports that nothing changed', async () => {
    const { code, stdout } = await plan();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Compared with .*tidemark\.duckdb\n\nNo changes: all \d+ models are already applied\.\n$/);
  });

  it('models plan compares with the published build while a writer holds the warehouse', async () => {
    await withWarehouse(async () => {
      const { code, stdout } = await plan();
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^Compared with the current build .*market\.duckdb\), because the warehouse is missing or in use/,
      );
      expect(stdout).toContain('No changes');
    });
  });

  it('models plan shows edits and their effects and refuses breaking ones', async () => {
    // The files on disk are the checkout's, so the test changes the applied model instead.
    await withWarehouse(async ({ db }) => {
      await db.run(`UPDATE base.models SET fingerprint = 'other',
        definition = replace(definition, 'columns:\n', 'columns:\n  bygone: VARCHAR | Gone\n') WHERE model = 'base.report_years'`);
      await db.run(`UPDATE base.models SET fingerprint = 'other' WHERE model = 'marts.financials_wide'`);
    });
    const { code, stdout, stderr } = await plan();
    expect(code).toBe(1);
    expect(stdout).toContain(`Directly modified:
  ~ base.report_years  incremental, 0 rows, Breaking
      column bygone is removed
      refused: raise \`version\` (now 1) in its header
`);
    expect(stdout).toContain('\n      -  bygone: VARCHAR | Gone\n');
    expect(stdout).toContain(`Indirectly modified:
    marts.financials_wide  incremental, 0 rows, Non-breaking, through base.report_years
`);
    expect(stdout).toContain(
      'needing backfill: the next run builds these incremental models in full\n    base.report_years ',
    );
    expect(stderr).toContain('base.report_years breaks readers of version 1: column bygone is removed.');

    const json = await plan('--json');
    expect(json.code).toBe(1);
    const { changes } = JSON.parse(json.stdout) as { changes: { model: string; change: string; refused: string[] }[] };
    expect(changes.filter(({ change }) => change !== 'unchanged')).toMatchObject([
      { model: 'base.report_years', change: 'directly modified', refused: ['column bygone is removed'] },
      { model: 'marts.financials_wide', change: 'indirectly modified', refused: [] },
    ]);
  });
});

describe('tidemark models with the models of a folder', () => {
  let place: ReturnType<typeof emptyFolder>;

  beforeAll(() => {
    place = emptyFolder();
    mkdirSync(path.join(place.dir, 'models/marts'), { recursive: true });
    writeFileSync(
      path.join(place.dir, 'tidemark.yaml'),
      `{ api: { baseUrl: 'http://127.0.0.1:1' }, data: ./data, models: ./models, markets: [{ name: m }] }`,
    );
  });

  afterAll(() => place.remove());

  const models = async (...args: string[]) => runCli(['models', ...args], { cwd: place.dir });
  const write = (sql: string) =>
    writeFileSync(
      path.join(place.dir, 'models/marts/thing.sql'),
      `\uFEFF/*\nmodel: marts.thing\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\n${sql}\n`.replaceAll(
        '\n',
        '\r\n',
      ),
    );

  it('models plan ends with 1 if a model has a fault, and with 0 without faults', async () => {
    write('SELECT company_id AS id FROM core.companies');
    expect(await models('plan')).toMatchObject({ code: 0, stderr: '' });
    write('SELECT nothing AS id FROM core.companies');
    const { code, stdout, stderr } = await models('plan');
    expect(code).toBe(1);
    expect(stdout).toContain('Faults:\n  marts.thing: ');
    expect(stderr).toMatch(/^error: marts\.thing cannot be built: .*"nothing"/);
  });

  it.each([
    ['3', 'tidemark models rollback --to 3'],
    ['previous', 'tidemark models rollback --to <set>'],
  ])('models rollback %s names --to', async (set, remedy) => {
    const { code, stderr } = await models('rollback', set);
    expect(code).toBe(2);
    expect(stderr).toContain(remedy);
  });
});
