import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWarehouseActivities } from '../../activities/warehouse.js';
import type { LoadResult, ModelsResult, PublishResult } from '../../schemas/pipeline/activities.js';
import { createClock } from '../../src/base/time/clock.js';
import { loadConfig } from '../../src/config/config.js';
import { warehouseFile } from '../../src/store/data-folder.js';
import { createLog } from '../../src/config/log.js';
import { openRun } from '../../src/crawl/run/open-run.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { readModelSet } from '../../src/warehouse/models/models.js';
import { readPlan } from '../../src/warehouse/models/read-plan.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { rollbackModels } from '../../src/warehouse/publish/apply-models.js';
import { ROOT } from '../helpers/processes.js';
import { emptyFolder, runCli } from '../helpers/run-cli.js';
import { marketNight, prepareBuilt } from '../helpers/warehouse.js';
import { Data } from '../../src/store/data.js';

const now = new Date('2026-11-20T12:00:00Z');
const place = emptyFolder();
const dataDir = path.join(place.dir, 'data');
const cli = (...args: string[]) => runCli(args, { cwd: place.dir, env: { TEMPORAL_ADDRESS: '127.0.0.1:9' } });

/** A data folder after a rollback of an edited model, whose warehouse file is lost. */
beforeAll(async () => {
  const modelsDir = path.join(place.dir, 'models');
  mkdirSync(path.join(modelsDir, 'marts'), { recursive: true });
  writeFileSync(
    path.join(place.dir, 'tidemark.yaml'),
    'api: { baseUrl: "http://127.0.0.1:9" }\ndata: ./data\nmodels: ./models\nmarkets: [{ name: demo }]\n',
  );
  await prepareBuilt(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2, 3] }));
  const shipped = readFileSync(path.join(ROOT, 'sql', 'marts', 'market_daily.sql'), 'utf8');
  writeFileSync(path.join(modelsDir, 'marts', 'market_daily.sql'), shipped.replace('SELECT\n', 'SELECT -- edited\n'));
  const warehouse = await openWarehouse(new Data(dataDir));
  await buildModels(warehouse, { modelsDir, now });
  await publish(warehouse, dataDir, { run: 'r1', now });
  await warehouse.close();
  await rollbackModels(new Data(dataDir), { now, personalData: false, modelsDir });
  rmSync(path.dirname(warehouseFile(dataDir)), { recursive: true });
});

afterAll(() => place.remove());

it('is named by doctor, status and publish, with the command that builds it again', async () => {
  const words = /there is no warehouse beside \d+ landed parts?/;
  const { stdout } = await cli('doctor', '--json');
  const found = JSON.parse(stdout) as { check: string }[];
  expect(found.find(({ check }) => check === 'warehouse')).toMatchObject({
    state: 'warn',
    message: expect.stringMatching(words),
    todo: expect.stringContaining('`tidemark replay`'),
  });
  const status = await cli('status');
  expect(status.stdout).toMatch(words);
  expect(status.stdout).toContain('`tidemark replay`');
  const published = await cli('publish');
  expect([published.code, published.stderr]).toEqual([1, expect.stringMatching(words)]);
  expect(published.stderr).toContain('`tidemark replay`');
});

it('is built again by the next run with the set of models of the rollback, and by the worker when it is damaged', async () => {
  const config = loadConfig(path.join(place.dir, 'tidemark.yaml'), {});
  const clock = createClock({});
  const activities = createWarehouseActivities({
    config,
    data: new Data(config.dataDir),
    clock,
    log: createLog('test'),
  });
  const ctx = openRun(config, clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r2', input: {} });
  const worker = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const loaded: LoadResult = await worker.run(async () => activities.loadLanding(ctx));
  expect(loaded.rows).toBeGreaterThan(0);
  const { notes }: ModelsResult = await worker.run(async () => activities.buildModels(ctx));
  expect(notes).toEqual([expect.stringMatching(/^Since the rollback of .*models apply/)]);
  const { models } = await readModelSet();
  const plan = await readPlan(dataDir, { models });
  expect(plan.held).not.toBeNull();
  // The restored set is the one that Tidemark ships, not the edited one.
  expect(plan.changes.filter(({ change }) => change !== 'unchanged')).toEqual([]);

  // Both headers and all later blocks of the file are now another file's.
  const bytes = readFileSync(warehouseFile(dataDir));
  writeFileSync(warehouseFile(dataDir), bytes.fill(7, 4_096));
  const { notes: said, rows }: PublishResult = await worker.run(async () => activities.publishWarehouse(ctx));
  expect(said).toContain('The warehouse file was damaged. The worker made it again from the landing zone.');
  expect(rows).toBeGreaterThan(0);
  // The records about the rollback come from the published build.
  expect((await readPlan(dataDir, { models })).held).not.toBeNull();
  const next: PublishResult = await worker.run(async () => activities.publishWarehouse(ctx));
  expect(next.notes).not.toContain(said?.[0]);
});
