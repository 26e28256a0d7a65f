import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openPublished } from '../../../../src/warehouse/builds/published.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { cleanEnv, ROOT, startProcess, type RunningProcess } from '../../../helpers/processes.js';
import { land, marketNight } from '../../../helpers/warehouse.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { Data } from '../../../../src/store/data.js';

const SHIPPED = readFileSync(path.join(ROOT, 'sql', 'marts', 'market_daily.sql'), 'utf8');
const CHANGED_COLUMN =
  '  changed: BIGINT | Members whose record changed since the end of the night before; NULL on the first night\n';
const CHANGED_SQL = ',\n  CASE WHEN n.previous_date IS NOT NULL THEN coalesce(c.changed, 0) END AS changed';

/** The model as a user might edit it: another meaning, a removed column, a second version. */
const EDITED = SHIPPED.replace("lower(h.status) = 'active' AND ", '').replace(
  'had the status Active at',
  'had a record at',
);
const BROKEN = EDITED.replace(CHANGED_COLUMN, '').replace(CHANGED_SQL, '');
const SECOND = BROKEN.replace('version: 1\n', 'version: 2\n');
const KEPT = EDITED.replace('version: 1\n', 'version: 1\ndeprecation_date: 2026-12-31\n');

describe('tidemark models on a real warehouse', () => {
  let place: ReturnType<typeof emptyFolder>;
  let dataDir: string;
  let reader: RunningProcess;
  let minute = 0;

  const models = (...args: string[]) => cli('models', ...args);
  const cli = (...args: string[]) => at(now(), ...args);
  const at = async (instant: string, ...args: string[]) =>
    runCli(args, { cwd: place.dir, env: { TIDEMARK_NOW: instant } });

  /** Returns a minute later at each call. */
  function now(): string {
    minute++;
    return new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString();
  }

  /** Writes a user's models; null removes one. */
  function edit(files: Record<string, string | null>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(place.dir, 'models', 'marts', name);
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
  }

  async function rows(sql: string): Promise<Record<string, unknown>[]> {
    const published = await openPublished(dataDir);
    try {
      return await published.objects(sql);
    } finally {
      published.close();
    }
  }

  /** Builds and publishes the models in force, as a run does at its end. */
  async function run(): Promise<string[]> {
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      const { notes } = await buildModels(warehouse, { modelsDir: path.join(place.dir, 'models') });
      await publish(warehouse, dataDir, { run: 'night', now: new Date(now()) });
      return notes;
    } finally {
      await warehouse.close();
    }
  }

  const STATES = `SELECT version, state, table_name, CAST(deprecation_date AS VARCHAR) AS until FROM meta.models
    WHERE model = 'marts.market_daily' ORDER BY version`;

  beforeAll(async () => {
    place = emptyFolder();
    dataDir = path.join(place.dir, 'data');
    mkdirSync(path.join(place.dir, 'models', 'marts'), { recursive: true });
    writeFileSync(
      path.join(place.dir, 'tidemark.yaml'),
      'api:\n  baseUrl: http://127.0.0.1:9\ndata: ./data\nmodels: ./models\n',
    );
    await land(dataDir, [
      ...marketNight({ run: 'r1', date: '2026-11-19', ids: [1, 2] }),
      ...marketNight({ run: 'r2', date: '2026-11-20', ids: [1, 2, 3] }),
      ...[1, 2, 3].map((id) => ({
        stream: 'companies' as const,
        entity: String(id),
        at: '2026-11-19T02:30:00.000Z',
        body: { id, name: `Company ${id}`, status: id === 1 ? 'Active' : 'Inactive' },
      })),
    ]);
    const warehouse: Warehouse = await openWarehouse(new Data(dataDir));
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
    await publish(warehouse, dataDir, { run: 'r2', now: new Date(now()) });
    await warehouse.close();
    reader = await startProcess(['--import', 'tsx', 'test/helpers/published-reader.ts', dataDir], {
      env: cleanEnv({}),
      ready: /^reading$/,
    });
  });

  afterAll(async () => {
    await reader?.stop();
    place?.remove();
  });

  it('plans, builds in an environment, compares and applies an edited model', async () => {
    edit({ 'market_daily.sql': EDITED });
    const plan = await models('plan');
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('  ~ marts.market_daily  incremental, 2 rows, Non-breaking\n');
    expect(plan.stdout).toMatch(
      /needing backfill: .*\n {4}marts\.market_daily {2}2 rows\nAffected: 2 rows in 1 table\./,
    );

    const before = await rows('FROM marts.market_daily ORDER BY date');
    const env = await models('apply', '--env', 'me');
    expect(env).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('marts.market_daily, directly modified, 2 rows'),
    });
    const diff = await models('diff', '--env', 'me', '--json');
    expect(JSON.parse(diff.stdout)).toMatchObject({
      env: { name: 'me', isStale: false, models: ['marts.market_daily'] },
      tables: [
        {
          model: 'marts.market_daily',
          key: ['market', 'date'],
          onlyHere: 0,
          onlyThere: 0,
          changed: 2,
          columns: [
            {
              column: 'active',
              rows: 2,
              samples: [
                { key: { market: 'm', date: '2026-11-19' }, there: '1', here: '2' },
                { key: { market: 'm', date: '2026-11-20' }, there: '1', here: '3' },
              ],
            },
          ],
        },
      ],
    });
    const sql =
      'SELECT d.active, count(c.company_id) AS n FROM marts.market_daily AS d, core.companies AS c GROUP BY 1 ORDER BY 1';
    expect((await cli('sql', '--env', 'me', '--format', 'csv', sql)).stdout).toBe('active,n\r\n2,3\r\n3,3\r\n');
    expect(await rows('FROM marts.market_daily ORDER BY date')).toEqual(before);

    const applied = await models('apply');
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('1 directly modified') });
    expect(await rows('SELECT active FROM marts.market_daily ORDER BY date')).toEqual([{ active: 2 }, { active: 3 }]);
  });

  it('rejects a breaking change in apply and replay, with the remedy', async () => {
    edit({ 'market_daily.sql': BROKEN });
    const { code, stderr } = await models('apply');
    expect(code).toBe(1);
    expect(stderr).toContain('marts.market_daily breaks readers of version 1: column changed is removed.');
    expect(stderr).toContain('Raise `version` in the header of');
    expect(stderr).toContain('market_daily_v1.sql with a `deprecation_date`');
    // Without a warehouse, the published file says what readers rely on.
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true });
    expect(await cli('replay')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('column changed is removed'),
    });
    edit({ 'market_daily.sql': EDITED });
    expect((await cli('replay')).code).toBe(0);
    expect(await rows('SELECT active, changed FROM marts.market_daily ORDER BY date')).toEqual([
      { active: 2, changed: null },
      { active: 3, changed: 0 },
    ]);
  });

  it('serves a new version next to the old one until its date', async () => {
    edit({ 'market_daily.sql': SECOND, 'market_daily_v1.sql': KEPT });
    const { code, stdout, stderr } = await models('apply');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('marts.market_daily_v1, added, served until 2026-12-31');
    expect(await rows(STATES)).toEqual([
      { version: 1, state: 'deprecated', table_name: 'marts.market_daily_v1', until: '2026-12-31' },
      { version: 2, state: 'current', table_name: 'marts.market_daily', until: null },
    ]);
    const [both] = await rows(
      `SELECT (SELECT count(*) FROM (DESCRIBE marts.market_daily))::INTEGER AS second,
        (SELECT count(*) FROM (DESCRIBE marts.market_daily_v1))::INTEGER AS first,
        (SELECT comment FROM duckdb_tables() WHERE table_name = 'market_daily_v1') AS comment`,
    );
    expect(both).toMatchObject({
      second: 6,
      first: 7,
      comment: expect.stringContaining('served until 2026-12-31; use marts.market_daily instead'),
    });
  });

  it('rolls back to the previous set and holds it until apply', async () => {
    const back = await models('rollback');
    expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('✔ restored set') });
    const first = [{ version: 1, state: 'current', table_name: 'marts.market_daily', until: null }];
    expect((await rows(STATES)).slice(0, 1)).toEqual(first);
    expect(await rows('SELECT changed FROM marts.market_daily ORDER BY date')).toEqual([
      { changed: null },
      { changed: 0 },
    ]);

    expect(await run()).toEqual([
      expect.stringMatching(/^Since the rollback of .*, each run builds set \d+ of the models\. .*models apply/),
    ]);
    expect((await rows(STATES)).slice(0, 1)).toEqual(first);
    expect((await models('plan')).stdout).toMatch(
      /Since the rollback of .*, each run builds an earlier set of models \(set \d+\)/,
    );

    expect((await models('apply')).code).toBe(0);
    expect(await rows(STATES)).toMatchObject([{ state: 'deprecated' }, { state: 'current' }]);
    const history = JSON.parse((await models('history', '--json')).stdout) as { origin: string }[];
    expect(history.slice(0, 3).map(({ origin }) => origin)).toEqual(['apply', 'rollback', 'apply']);
  });

  it('changes nothing when apply is killed', async () => {
    const model = (name: string, sql: string) =>
      `/*\nmodel: marts.${name}\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\n${sql}\n`;
    const endless =
      'SELECT CAST(max(hash(a.range + b.range) % 7) AS BIGINT) AS id FROM marts.quick, range(10000000) AS a, range(10000000) AS b';
    edit({ 'quick.sql': model('quick', 'SELECT 1::BIGINT AS id'), 'slow.sql': model('slow', endless) });
    const killed = await startProcess(
      ['--import', 'tsx', 'src/cli/cli.ts', '--config', path.join(place.dir, 'tidemark.yaml'), 'models', 'apply'],
      {
        env: cleanEnv({ TIDEMARK_NOW: now() }),
        ready: /^Building the models/,
      },
    );
    await killed.stop('SIGKILL');
    expect(await rows(`SELECT 1 FROM duckdb_tables() WHERE table_name = 'quick'`)).toEqual([]);

    edit({ 'slow.sql': model('slow', 'SELECT id FROM marts.quick') });
    expect((await models('apply')).code).toBe(0);
    expect(await rows('FROM marts.slow')).toEqual([{ id: 1 }]);
  });

  it('keeps a table whose file is gone until it is dropped', async () => {
    edit({ 'quick.sql': null, 'slow.sql': null });
    const { code, stdout } = await models('plan');
    expect(code).toBe(1);
    expect(stdout).toContain('refused: restore its file, or drop the table: tidemark models apply --drop marts.quick');
    const refused = await models('apply');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('drop the tables now: tidemark models apply --drop marts.quick marts.slow'),
    });
    expect(await rows('FROM marts.slow')).toEqual([{ id: 1 }]);
    expect(await models('apply', '--drop', 'marts.quick', 'marts.slow', 'marts.market_daily')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/marts\.market_daily still has its file .*market_daily\.sql/),
    });
    expect(await models('apply', '--drop', 'marts.quick', 'marts.slow')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 removed'),
    });
    expect(await rows(`SELECT 1 FROM duckdb_tables() WHERE table_name IN ('quick', 'slow')`)).toEqual([]);
    expect(await run()).toEqual([]);
  });

  it('retires an old version after its date, without reader errors', async () => {
    const { stdout } = await at('2027-01-01T00:00:00Z', 'models', 'apply');
    expect(stdout).toContain(
      'marts.market_daily_v1 is retired: version 1 of marts.market_daily was served until 2026-12-31.',
    );
    expect(await rows(STATES)).toMatchObject([{ state: 'retired', table_name: null }, { state: 'current' }]);
    expect(await rows(`SELECT 1 FROM duckdb_tables() WHERE table_name = 'market_daily_v1'`)).toEqual([]);

    await reader.stop();
    const seen = JSON.parse(reader.output().split('\n').at(-1) ?? '') as { reads: number; errors: string[] };
    expect(seen.errors).toEqual([]);
    expect(seen.reads).toBeGreaterThan(20);
  });
});
