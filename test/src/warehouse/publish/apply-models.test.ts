import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { warehouseFile } from '../../../../src/store/data-folder.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { applyModels, rollbackModels } from '../../../../src/warehouse/publish/apply-models.js';
import { diffEnv } from '../../../../src/warehouse/publish/diff.js';
import { applyEnv, dropEnv, listEnvs } from '../../../../src/warehouse/publish/environments.js';
import { modelsInForce } from '../../../../src/warehouse/models/in-force.js';
import { previousSet, readSet, type AppliedSet, type SetOrigin } from '../../../../src/warehouse/models/sets.js';
import { assembleModels, type Model } from '../../../../src/warehouse/models/models.js';
import { queryFile } from '../../../helpers/project.js';
import { land, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-20T12:00:00Z');

interface Written {
  name: string;
  sql: string;
  columns?: string;
  kind?: string;
  audits?: string;
  version?: number;
  until?: string;
  key?: string;
}

/** A model file of `marts`. */
function write(written: Written) {
  const {
    name,
    sql,
    columns = 'id: BIGINT | Id',
    kind = 'table',
    audits = '[]',
    version = 1,
    until,
    key = 'id',
  } = written;
  const date = until === undefined ? '' : `deprecation_date: ${until}\n`;
  const text = `/*\nmodel: marts.${name}\nkind: ${kind}\nversion: ${version}\n${date}grain: thing\nkey: [${key}]\ndescription: Things.\ncolumns:\n  ${columns}\naudits: ${audits}\n*/\n${sql}\n`;
  return { name: `marts/${name}${until === undefined ? '' : `_v${version}`}.sql`, text };
}

/** A data folder with three companies, built and published, and a user's models folder. */
async function start(): Promise<{
  dataDir: string;
  edit: (...models: Written[]) => void;
  request: Parameters<typeof applyModels>[1];
}> {
  const dataDir = temporaryDataDir();
  const modelsDir = path.join(dataDir, 'own');
  const edit = (...models: Written[]): void => {
    rmSync(modelsDir, { recursive: true, force: true });
    mkdirSync(path.join(modelsDir, 'marts'), { recursive: true });
    for (const { name, text } of models.map(write)) writeFileSync(path.join(modelsDir, name), text);
  };
  cpSync(template, dataDir, { recursive: true, verbatimSymlinks: true });
  return { dataDir, edit, request: { now: NOW, personalData: false, modelsDir } };
}

let template: string;

beforeAll(async () => {
  template = mkdtempSync(path.join(tmpdir(), 'tidemark-models-'));
  await land(
    template,
    ['1', '2', '3'].map((id) => ({ stream: 'companies', entity: id, body: { id, name: `Company ${id}` } })),
  );
  await night(template);
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

async function night(dataDir: string): Promise<void> {
  const warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse);
  await publish(warehouse, dataDir, { run: 'night', now: NOW });
  await warehouse.close();
}

const IDS = 'SELECT company_id AS id FROM core.companies_history WHERE is_current';

describe('applyModels', () => {
  test('says why exchange rates could not be read, also if no model changed', async () => {
    const { dataDir, request } = await start();
    const file = path.join(dataDir, 'rates.csv');
    const rates = { file, name: './rates.csv', data: new Data(dataDir), base: 'EUR', reporting: 'EUR' };
    const applied = await applyModels(new Data(dataDir), { ...request, modelsDir: undefined, rates });
    expect(applied).toMatchObject({ built: null, published: null });
    expect(applied.notes).toEqual([expect.stringContaining('./rates.csv could not be read: there is no such file.')]);
  });

  test('changes nothing if a model fails', async () => {
    const { dataDir, edit, request } = await start();
    const first = { name: 'first', sql: IDS };
    const audits = '[{name: none, severity: error, sql: FROM marts.second}]';
    edit(first, { name: 'second', sql: 'SELECT id FROM marts.first', audits });
    await expect(applyModels(new Data(dataDir), request)).rejects.toThrow('Audits failed: marts.second.none (3)');
    expect(readdirSync(path.join(dataDir, 'warehouse'))).toEqual(['tidemark.duckdb']);
    expect(await queryFile(warehouseFile(dataDir), `FROM duckdb_tables() WHERE table_name = 'first'`)).toEqual([]);
    await expect(queryPublished(dataDir, 'FROM marts.first')).rejects.toThrow('does not exist');

    edit(first, { name: 'second', sql: 'SELECT id FROM marts.first WHERE id > 1' });
    const steps: string[] = [];
    await applyModels(new Data(dataDir), { ...request, onStep: (step) => steps.push(step) });
    expect(steps).toEqual(['models', 'publish']);
    expect(await queryPublished(dataDir, 'FROM marts.second ORDER BY id')).toEqual([[2], [3]]);
  });

  test('builds all models if parts were loaded since the last build', async () => {
    const { dataDir, edit, request } = await start();
    edit({ name: 'first', sql: IDS });
    await land(dataDir, [{ stream: 'companies', entity: '4', body: { id: '4', name: 'Company 4' } }]);
    const warehouse = await openWarehouse(new Data(dataDir));
    await loadLanding(warehouse, new Data(dataDir));
    await warehouse.close();
    await applyModels(new Data(dataDir), request);
    const counts = 'SELECT (SELECT count(*) FROM marts.first)::INTEGER, (SELECT count(*) FROM core.companies)::INTEGER';
    expect(await queryPublished(dataDir, counts)).toEqual([[4, 4]]);
  });

  test('converts between view and table, and drops a removed model', async () => {
    const { dataDir, edit, request } = await start();
    for (const kind of ['view', 'table', 'view']) {
      edit({ name: 'thing', sql: IDS, kind });
      expect((await applyModels(new Data(dataDir), request)).published).not.toBeNull();
    }
    edit();
    await expect(applyModels(new Data(dataDir), request)).rejects.toThrow('the file of the table is missing');
    await expect(applyModels(new Data(dataDir), { ...request, drop: ['marts.other'] })).rejects.toThrow(
      'no table marts.other',
    );
    await applyModels(new Data(dataDir), { ...request, drop: ['marts.thing'] });
    const warehouse = await openWarehouse(new Data(dataDir));
    expect(await warehouse.db.count(`SELECT count(*) FROM duckdb_views() WHERE view_name = 'thing'`)).toBe(0);
    await warehouse.close();
  });

  test('drops a published function whose tables lost a column, with a note', async () => {
    const { dataDir, request } = await start();
    const own = path.join(dataDir, 'own');
    for (const schema of ['core', 'marts']) mkdirSync(path.join(own, schema), { recursive: true });
    for (const name of [
      'core/companies_history',
      'core/companies',
      'core/company_codes',
      'marts/companies',
      'marts/companies_disagreement',
    ]) {
      const source = readFileSync(`sql/${name}.sql`, 'utf8');
      // The mart names the column of version 2's history first, then that of version 1's history. Only the first is renamed.
      const text = name.startsWith('marts/')
        ? source.replace('is_current', 'stands')
        : source.replaceAll('is_current', 'stands').replace('SELECT v.*,', 'SELECT v.* RENAME (is_current AS stands),');
      const isRenamed = name === 'core/companies_history';
      writeFileSync(path.join(own, `${name}.sql`), isRenamed ? text.replace('version: 1\n', 'version: 2\n') : text);
    }
    const { published } = await applyModels(new Data(dataDir), request);
    expect(published?.notes).toEqual([
      expect.stringMatching(
        /^The function core\.companies_as_of is not published, because tables that it reads are missing or different .*is_current/,
      ),
    ]);
    const functions = `SELECT DISTINCT function_name FROM duckdb_functions() WHERE schema_name = 'core' ORDER BY 1`;
    expect(await queryPublished(dataDir, functions)).toEqual([['as_of_instant'], ['financials_as_of']]);
  });

  test('publishes what a killed apply had built', async () => {
    const { dataDir, edit, request } = await start();
    edit({ name: 'thing', sql: IDS });
    const warehouse = await openWarehouse(new Data(dataDir));
    await buildModels(warehouse, request);
    await warehouse.close();
    expect(await applyModels(new Data(dataDir), request)).toMatchObject({
      built: null,
      published: { file: expect.any(String) },
    });
    expect(await queryPublished(dataDir, 'SELECT count(*)::INTEGER FROM marts.thing')).toEqual([[3]]);
    expect(await applyModels(new Data(dataDir), request)).toMatchObject({ built: null, published: null });
  });

  test('builds a table from the new text of a changed view', async () => {
    const { dataDir, edit, request } = await start();
    const reader = { name: 'reader', sql: 'SELECT id FROM marts.seen' };
    edit({ name: 'seen', sql: IDS, kind: 'view' }, reader);
    await applyModels(new Data(dataDir), request);
    edit({ name: 'seen', sql: `SELECT id FROM (${IDS}) AS t(id) WHERE id > 2`, kind: 'view' }, reader);
    await applyModels(new Data(dataDir), request);
    expect(await queryPublished(dataDir, 'FROM marts.seen UNION ALL FROM marts.reader')).toEqual([[3], [3]]);
  });

  test('rejects stray .sql files in the models folder', async () => {
    const { dataDir, edit, request } = await start();
    await expect(applyModels(new Data(dataDir), request)).rejects.toThrow(/The folder .* does not exist/);
    edit();
    writeFileSync(path.join(dataDir, 'own', 'stray.sql'), 'SELECT 1');
    await expect(applyModels(new Data(dataDir), request)).rejects.toThrow(
      'stray.sql is not in a subfolder from which Tidemark reads .sql files',
    );
  });

  test('says what to do first without a warehouse', async () => {
    await expect(applyModels(new Data(temporaryDataDir()), { now: NOW, personalData: false })).rejects.toMatchObject({
      message: expect.stringContaining('There is no warehouse') as string,
      todo: expect.stringContaining('tidemark snapshot') as string,
    });
  });
});

describe('rollbackModels', () => {
  test('rolls back step by step, by number or as a dry run', async () => {
    const { dataDir, edit, request } = await start();
    const versions = [
      IDS,
      `SELECT id FROM (${IDS}) AS t(id) WHERE id > 1`,
      `SELECT id FROM (${IDS}) AS t(id) WHERE id > 2`,
    ];
    for (const sql of versions) {
      edit({ name: 'thing', sql });
      await applyModels(new Data(dataDir), request);
    }
    const count = async () => (await queryPublished(dataDir, 'SELECT count(*)::INTEGER FROM marts.thing'))[0]?.[0];
    expect((await rollbackModels(new Data(dataDir), { ...request, dryRun: true })).to.set).toBe(3);
    expect(await count()).toBe(1);
    expect((await rollbackModels(new Data(dataDir), request)).to.set).toBe(3);
    expect(await count()).toBe(2);
    expect((await rollbackModels(new Data(dataDir), request)).to.set).toBe(2);
    expect(await count()).toBe(3);
    expect(
      (await rollbackModels(new Data(dataDir), request)).changes.filter(({ change }) => change !== 'unchanged'),
    ).toMatchObject([
      { model: 'marts.thing', change: 'removed', breaking: ['the table is no longer published'], refused: [] },
    ]);
    await expect(rollbackModels(new Data(dataDir), request)).rejects.toThrow('Cannot roll back');
    await expect(rollbackModels(new Data(dataDir), { ...request, to: 99 })).rejects.toMatchObject({
      type: 'InvalidInput',
      message: 'There is no set 99 of models. Known sets: 1, 2, 3, 4, 5, 6, 7.',
    });
    expect((await rollbackModels(new Data(dataDir), { ...request, to: 4 })).to.set).toBe(4);
    expect(await count()).toBe(1);
  });

  test('publishes what a killed rollback had built, except in a dry run', async () => {
    const { dataDir, edit, request } = await start();
    const versions = [IDS, `SELECT id FROM (${IDS}) AS t(id) WHERE id > 1`];
    for (const sql of versions) {
      edit({ name: 'thing', sql });
      await applyModels(new Data(dataDir), request);
    }
    const count = async () => (await queryPublished(dataDir, 'SELECT count(*)::INTEGER FROM marts.thing'))[0]?.[0];
    const warehouse = await openWarehouse(new Data(dataDir));
    const set = await readSet(warehouse.db, { set: 2 });
    await buildModels(warehouse, { ...request, set, origin: 'rollback', ofSet: 2 });
    await warehouse.close();
    expect(await rollbackModels(new Data(dataDir), { ...request, dryRun: true })).toMatchObject({
      to: { set: 1 },
      published: null,
    });
    expect(await count()).toBe(2);
    expect(await rollbackModels(new Data(dataDir), request)).toMatchObject({
      to: { set: 4, ofSet: 2 },
      changes: [],
      built: null,
      published: { file: expect.any(String) as string },
    });
    expect(await count()).toBe(3);
  });

  test('rolls back a set that was never published', async () => {
    const { dataDir, edit, request } = await start();
    edit({ name: 'thing', sql: IDS });
    const warehouse = await openWarehouse(new Data(dataDir));
    await buildModels(warehouse, request);
    await warehouse.close();
    expect(await rollbackModels(new Data(dataDir), request)).toMatchObject({
      to: { set: 1 },
      built: expect.any(Object) as object,
    });
    await expect(queryPublished(dataDir, 'FROM marts.thing')).rejects.toThrow('does not exist');
  });

  test('holds a rollback over replays despite unreadable model files', async () => {
    const { dataDir, edit, request } = await start();
    for (const sql of [IDS, `SELECT id FROM (${IDS}) AS t(id) WHERE id > 1`]) {
      edit({ name: 'thing', sql });
      await applyModels(new Data(dataDir), request);
    }
    await rollbackModels(new Data(dataDir), request);
    edit({ name: 'thing', sql: 'SELECT FROM WHERE' });
    const { now, personalData, modelsDir } = request;
    const place = { now, personalData, modelsDir };
    const replay = () => rebuildWarehouse(new Data(dataDir), place);
    const held: unknown = expect.stringMatching(
      /^Since the rollback of 2026-11-20T12:00:00Z, each run builds set \d of the models/,
    );
    expect((await replay()).notes).toEqual([held]);
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true });
    expect((await replay()).notes).toEqual([held]);
    expect((await rebuildWarehouse(new Data(dataDir), { ...place, into: path.join(dataDir, 'second') })).notes).toEqual(
      [held],
    );
    expect(await queryPublished(dataDir, 'SELECT count(*)::INTEGER FROM marts.thing')).toEqual([[3]]);
    await expect(applyModels(new Data(dataDir), request)).rejects.toThrow(/thing\.sql:12: DuckDB cannot parse the SQL/);
  });

  test('never rolls back to the current set or in a circle', () => {
    const origins = fc.constantFrom<SetOrigin[]>('run', 'apply', 'rollback');
    fc.assert(
      fc.property(fc.array(fc.tuple(origins, fc.integer({ min: 0, max: 3 })), { maxLength: 12 }), (steps) => {
        const sets: AppliedSet[] = [];
        const add = (origin: SetOrigin, text: string, ofSet: number | null) =>
          sets.push({ set: sets.length + 1, origin, ofSet, appliedAt: '', files: new Map([['marts/a.sql', text]]) });
        for (const [origin, text] of steps) {
          const back = origin === 'rollback' ? previousSet(sets) : undefined;
          if (back !== undefined) add('rollback', back.files.get('marts/a.sql') ?? '', back.set);
          else add('apply', String(text), null);
        }
        for (let i = 0; i <= steps.length; i++) {
          const to = previousSet(sets);
          if (to === undefined) return;
          const last = sets.at(-1);
          expect(to.origin).not.toBe('rollback');
          expect(to.set).toBeLessThan(last?.ofSet ?? last?.set ?? 0);
          add('rollback', to.files.get('marts/a.sql') ?? '', to.set);
        }
        expect.unreachable('more steps back than there were forward');
      }),
    );
  });
});

describe('older versions of a model', () => {
  const latest = write({ name: 'thing', sql: 'SELECT 1', version: 2 });

  test.each([
    [
      'without a date',
      [{ ...write({ name: 'thing', sql: 'SELECT 1' }), name: 'marts/thing_v1.sql' }, latest],
      'an older version needs `deprecation_date: YYYY-MM-DD` in its header',
    ],
    [
      'under another number',
      [{ ...write({ name: 'thing', sql: 'SELECT 1', until: '2027-01-01' }), name: 'marts/thing_v3.sql' }, latest],
      'name the file sql/marts/thing.sql',
    ],
    [
      'without a latest version',
      [write({ name: 'thing', sql: 'SELECT 1', until: '2027-01-01' })],
      'but the file of the latest version is missing',
    ],
    [
      'no older than the latest',
      [write({ name: 'thing', sql: 'SELECT 1', version: 2, until: '2027-01-01' }), latest],
      'but the latest version is 2',
    ],
    [
      'with audits of the latest',
      [
        write({
          name: 'thing',
          sql: 'SELECT 1',
          until: '2027-01-01',
          audits: '[{name: some, severity: warn, sql: FROM marts.thing}]',
        }),
        latest,
      ],
      'audit some reads marts.thing, not marts.thing_v1',
    ],
  ])('rejects an older version %s', async (_, files, message) => {
    await expect(assembleModels(files, [])).rejects.toThrow(message);
  });

  test('says which file to add or change if an older version has no newer one', async () => {
    const old = write({ name: 'thing', sql: 'SELECT 1', version: 2, until: '2027-01-01' });
    await expect(assembleModels([old], [])).rejects.toMatchObject({
      todo: 'Add sql/marts/thing.sql with a `version` above 2, or remove sql/marts/thing_v2.sql.',
    });
    await expect(assembleModels([old, latest], [])).rejects.toMatchObject({
      todo: expect.stringContaining('raise `version` above 2') as string,
    });
  });

  test('retires older versions after their day unless a model reads them', async () => {
    const old = write({ name: 'thing', sql: 'SELECT 1', until: '2026-12-31' });
    const names = (models: readonly Model[]) => models.map(({ model }) => model);
    const { models } = await assembleModels([old, latest], []);
    expect(names(modelsInForce(models, '2026-12-31').models)).toEqual(['marts.thing', 'marts.thing_v1']);
    expect(modelsInForce(models, '2027-01-01')).toMatchObject({ models: [{ model: 'marts.thing' }], overdue: [] });
    const read = await assembleModels([old, latest, write({ name: 'reader', sql: 'FROM marts.thing_v1' })], []);
    const kept = modelsInForce(read.models, '2027-01-01');
    expect(names(kept.models)).toContain('marts.thing_v1');
    expect(kept.overdue).toEqual([
      'marts.thing_v1 should be removed after 2026-12-31, but these models still read it: marts.reader.',
    ]);
  });
});

describe('a model environment', () => {
  test('compares environments whatever the columns are called', async () => {
    const { dataDir, edit, request } = await start();
    const thing = (present: string) => ({
      name: 'thing',
      columns:
        'id: BIGINT | Id\n  present: BOOLEAN | P\n  here: BIGINT | H\n  there: BIGINT | T\n  is_here: BOOLEAN | I',
      sql: `SELECT company_id AS id, ${present} AS present, company_id AS here, 1::BIGINT AS there, false AS is_here FROM core.companies`,
    });
    edit(thing('true'));
    await applyModels(new Data(dataDir), request);
    edit(thing('company_id % 2 = 0'));
    await applyEnv(dataDir, { ...request, name: 'me' });
    expect((await diffEnv(dataDir, 'me', [], 3)).tables).toMatchObject([
      { model: 'marts.thing', changed: 2, columns: [{ column: 'present', rows: 2 }] },
    ]);
  });

  test("discards a killed client's writes when an environment is rebuilt", async () => {
    const { dataDir, edit, request } = await start();
    edit({ name: 'thing', sql: 'SELECT 1::BIGINT AS id' });
    const { file } = await applyEnv(dataDir, { ...request, name: 'me' });
    const client = await DuckDBInstance.create(file);
    const connection = await client.connect();
    await connection.run(`SET checkpoint_threshold = '1TB'; UPDATE marts.thing SET id = 7`);
    const log = readFileSync(`${file}.wal`);
    connection.closeSync();
    client.closeSync();
    writeFileSync(`${file}.wal`, log);
    await applyEnv(dataDir, { ...request, name: 'me' });
    expect(readdirSync(path.dirname(file))).toEqual(['me.duckdb']);
    expect(await queryFile(file, 'SELECT id FROM marts.thing')).toEqual([{ id: '1' }]);
  });

  test('builds changed and dependent models and compares rows, columns and keys', async () => {
    const { dataDir, edit, request } = await start();
    const named = (where: string) => `SELECT company_id AS id, name FROM core.companies_history WHERE ${where}`;
    const columns = 'id: BIGINT | Id\n  name: VARCHAR | Name';
    const reader = { name: 'reader', sql: 'SELECT id FROM marts.thing' };
    const numbers = { name: 'numbers', columns: 'id: BIGINT | Id\n  n: BIGINT | N' };
    edit(
      { name: 'thing', sql: named('company_id < 3'), columns },
      { ...numbers, key: 'id, n', sql: 'SELECT range // 2 AS id, range AS n FROM range(4)' },
      reader,
    );
    await applyModels(new Data(dataDir), request);
    edit(
      {
        name: 'thing',
        sql: `SELECT id, CASE WHEN id = 2 THEN 'B' ELSE name END AS name, 1 AS more FROM (${named('company_id > 1')})`,
        columns: `${columns}\n  more: INTEGER | More`,
      },
      reader,
      // This model also reads a view that only the writer has.
      {
        name: 'records',
        sql: 'SELECT company_id AS id FROM ledger.company_records WHERE (SELECT count(*) FROM meta.models) > 0',
      },
      { ...numbers, sql: 'SELECT range AS id, range AS n FROM range(2)' },
    );
    const built = await applyEnv(dataDir, { ...request, name: 'me' });
    expect(built.models.map(({ model, change, rows }) => [model, change, rows])).toEqual([
      ['marts.numbers', 'directly modified', 2],
      ['marts.records', 'added', 3],
      ['marts.thing', 'directly modified', 2],
      ['marts.reader', 'indirectly modified', 2],
    ]);
    expect(readdirSync(path.join(dataDir, 'env'))).toEqual(['me.duckdb']);
    const { tables } = await diffEnv(dataDir, 'me', [], 3);
    expect(tables).toMatchObject([
      {
        model: 'marts.numbers',
        key: null,
        onlyHere: 1,
        onlyThere: 3,
        changed: null,
        samplesOnlyHere: [{ id: '1', n: '1' }],
      },
      {
        model: 'marts.reader',
        onlyHere: 1,
        onlyThere: 1,
        changed: 0,
        samplesOnlyHere: [{ id: '3' }],
        samplesOnlyThere: [{ id: '1' }],
      },
      { model: 'marts.records', rowsHere: 3, rowsThere: null },
      {
        model: 'marts.thing',
        addedColumns: ['more'],
        changed: 1,
        columns: [{ column: 'name', rows: 1, samples: [{ key: { id: '2' }, there: 'Company 2', here: 'B' }] }],
      },
    ]);
    expect(await listEnvs(dataDir)).toMatchObject([{ name: 'me', isStale: false }]);
    const warehouse = await openWarehouse(new Data(dataDir));
    await publish(warehouse, dataDir, { run: 'night', now: NOW });
    await warehouse.close();
    expect(await listEnvs(dataDir)).toMatchObject([{ name: 'me', isStale: true }]);
    await expect(diffEnv(dataDir, 'me', ['core.companies'], 3)).rejects.toThrow('has no model core.companies');
    dropEnv(dataDir, 'me');
    expect(await listEnvs(dataDir)).toEqual([]);
    await expect(applyEnv(dataDir, { ...request, name: '../me' })).rejects.toThrow('is not a valid environment name');
  });
});
