import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { readsOfModels } from '../../../../src/warehouse/models/reads.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { answer, nights } from '../../../helpers/random-answers.js';
import { buildFrom, land, marketNight, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

test('a table has no rows while all tables that its model needs are empty', async () => {
  const answers = fc.sample(answer, { numRuns: 200, seed: 1 }).flat();
  const warehouse = await buildFrom([...answers, ...nights]);
  const { db } = warehouse;
  const models = (await readModels()).filter(({ needs }) => needs.length > 0);
  expect(models.length).toBeGreaterThan(10);
  const reads = await readsOfModels(models);
  for (const { model, needs, incremental, sql } of models) {
    expect(needs.filter((table) => !reads.get(model)?.rows.tables.has(table))).toEqual([]);
    await db.run('BEGIN TRANSACTION');
    if (incremental !== undefined) await db.run(`CREATE OR REPLACE TEMP TABLE changed AS ${incremental.all}`);
    for (const table of needs) await db.run(`DELETE FROM ${table}`);
    expect([model, await db.count(`SELECT count(*) FROM (${sql})`)]).toEqual([model, 0]);
    await db.run('ROLLBACK');
  }
});

test('builds no table of a stream that no market uses, until the stream has an answer', async () => {
  const dataDir = temporaryDataDir();
  const warehouse = await openWarehouse(new Data(dataDir));
  onTestFinished(() => warehouse.close());
  await buildModels(warehouse);
  const run = vi.spyOn(warehouse.db, 'run');
  const night = async (answers: Parameters<typeof land>[1]): Promise<string[]> => {
    await land(dataDir, answers);
    await loadLanding(warehouse, new Data(dataDir));
    run.mockClear();
    await buildModels(warehouse);
    return run.mock.calls.flatMap(
      ([sql]) => /INTO (core\.ticker_financials_history|ops\.rejects)\b/.exec(sql)?.[1] ?? [],
    );
  };
  expect(await night(marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }))).toEqual([]);
  expect(await night([{ stream: 'companies', entity: '1', body: '<html>' }])).toEqual(['ops.rejects']);
});
