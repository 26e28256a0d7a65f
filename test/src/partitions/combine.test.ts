import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PartitionFile } from '../../../schemas/pipeline/activities.js';
import { partitionsDir, replayFile } from '../../../src/core/data-folder.js';
import { openWarehouse, type Warehouse } from '../../../src/duckdb/open.js';
import { readSqlFile } from '../../../src/duckdb/sql-files.js';
import { readManifests } from '../../../src/landing/index.js';
import { readModels } from '../../../src/models/models.js';
import { buildModels } from '../../../src/models/run-models.js';
import { buildPartition } from '../../../src/partitions/build-partition.js';
import { combinePartitions, removePartitions, type Combined } from '../../../src/partitions/combine.js';
import { dividedModels } from '../../../src/partitions/divide.js';
import { planPartitions } from '../../../src/partitions/plan.js';
import { land, prepareOnce, type Answer } from '../../helpers/warehouse.js';

const REBUILD = { id: 'r', personalData: true };
const ANSWERS = Array.from({ length: 8 }, (_, index): Answer[] => {
  const id = index + 1;
  return [
    { stream: 'companies', entity: String(id), body: { id, name: `C${id}` } },
    { stream: 'financials', entity: String(id), body: { 2024: { Turnover: id, Currency: 'EUR' } } },
  ];
}).flat();

interface Built {
  dataDir: string;
  files: PartitionFile[];
  /** Opens a new warehouse and combines files into it. */
  combine: (given?: PartitionFile[]) => Promise<{ warehouse: Warehouse; combined: Combined }>;
}

const prepared = prepareOnce(async (dataDir) => {
  await land(dataDir, ANSWERS);
  await planPartitions(dataDir, REBUILD, { of: 2, isWanted: () => true });
  for (const index of [0, 1]) await buildPartition(dataDir, { ...REBUILD, index });
});

/** A data folder with records and reports of eight companies, and two built partitions. */
function takeTwo(): Built {
  const dataDir = prepared();
  const names = readdirSync(partitionsDir(dataDir, REBUILD.id)).filter((name) => name.endsWith('.duckdb'));
  const files = names.toSorted().map((name) => ({ name, content: null }));
  return {
    dataDir,
    files,
    combine: async (given = files) => {
      const warehouse = await openWarehouse(dataDir, { file: replayFile(dataDir) });
      onTestFinished(() => warehouse.close());
      const request = { ...REBUILD, files: given, rejectsIn: dataDir };
      return { warehouse, combined: await combinePartitions(warehouse, dataDir, request) };
    },
  };
}

describe('combinePartitions', () => {
  test('takes every company from one partition', async () => {
    const { combine } = takeTwo();
    const { warehouse, combined } = await combine();
    expect(combined).toMatchObject({ parts: 2, rows: 16, rejects: 0 });
    expect([...combined.models.keys()]).toContain('core.financials');
    const ids = await warehouse.db.rows('SELECT company_id FROM core.companies_history ORDER BY 1');
    expect(ids.map((row) => row['company_id'])).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test.each([
    [[1], '1 files for 2 partitions'],
    [[1, 0], 'the file for partition 0 belongs to another one'],
  ])('refuses the files %j of two partitions', async (indexes, reason) => {
    const { files, combine } = takeTwo();
    await expect(combine(indexes.map((index) => files[index]!))).rejects.toThrow(reason);
  });

  test('refuses partitions after a landed part was removed or replaced', async () => {
    const { dataDir, combine } = takeTwo();
    const [part] = readManifests(dataDir, { stream: 'companies' });
    rmSync(path.join(path.dirname(part!.file), '_manifest'), { recursive: true });
    await expect(combine()).rejects.toMatchObject({ type: 'DataFolderChanged', retryable: false });
  });

  test('refuses partitions of which one skipped a damaged part', async () => {
    const { dataDir, files, combine } = takeTwo();
    const [part] = readManifests(dataDir, { stream: 'financials' });
    writeFileSync(part!.file, 'damaged');
    const second = await buildPartition(dataDir, { ...REBUILD, index: 1 });
    await expect(combine([files[0]!, second])).rejects.toMatchObject({ type: 'DataFolderChanged' });
  });

  test('refuses a partition with rows in a table of the ledger that is not divided', async () => {
    const { dataDir, files, combine } = takeTwo();
    const file = path.join(partitionsDir(dataDir, REBUILD.id), files[1]!.name);
    const partition = await openWarehouse(dataDir, { file });
    await partition.db.run(`INSERT INTO ledger.dirty_rates VALUES ('EUR', DATE '2026-01-01')`);
    await partition.db.run(`INSERT INTO ledger.fx_file VALUES ('x')`);
    await partition.close();
    await expect(combine()).rejects.toThrow('partition 1 has rows in ledger.fx_file, which is not divided');
  });

  test('lets the writer build a model that has another query there', async () => {
    const { dataDir, combine } = takeTwo();
    const modelsDir = path.join(dataDir, 'own');
    mkdirSync(path.join(modelsDir, 'core'), { recursive: true });
    const { text } = readSqlFile('core/financials.sql');
    const only = text.replace(/WHERE v\.is_current\s*$/, 'WHERE v.is_current AND v.company_id = 3\n');
    expect(only).not.toBe(text);
    writeFileSync(path.join(modelsDir, 'core', 'financials.sql'), only);
    const { warehouse, combined } = await combine();
    await buildModels(warehouse, { modelsDir, combined: combined.models });
    for (const table of ['core.financials', 'marts.financials_wide'])
      expect(await warehouse.db.rows(`SELECT DISTINCT company_id FROM ${table}`)).toEqual([{ company_id: '3' }]);
    expect(await warehouse.db.count('SELECT count(*) FROM core.financials_history')).toBe(16);
  });
});

describe('buildPartition', () => {
  test('refuses to build other rows than planned, so that another worker can do it', async () => {
    const { dataDir } = takeTwo();
    const other = { ...REBUILD, personalData: false, index: 0 };
    await expect(buildPartition(dataDir, other)).rejects.toMatchObject({ type: 'InvalidConfig', retryable: true });
    const unknown = { ...REBUILD, id: 'unknown', index: 0 };
    await expect(buildPartition(dataDir, unknown)).rejects.toMatchObject({ type: 'OtherDataFolder', retryable: true });
  });

  test('leaves no file when it was stopped', async () => {
    const { dataDir } = takeTwo();
    await removePartitions(dataDir, REBUILD.id);
    expect(existsSync(partitionsDir(dataDir, REBUILD.id))).toBe(false);
    await planPartitions(dataDir, REBUILD, { of: 2, isWanted: () => true });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(buildPartition(dataDir, { ...REBUILD, index: 0, signal })).rejects.toThrow('stopped');
    expect(readdirSync(partitionsDir(dataDir, REBUILD.id))).toEqual(['plan.json']);
  });
});

describe('dividedModels', () => {
  test('selects models whose rows depend on one company', async () => {
    const names = (await dividedModels(await readModels())).map(({ model }) => model);
    expect(names.toSorted()).toEqual([
      'core.companies_history',
      'core.companies_v1_history',
      'core.company_codes_history',
      'core.dated_reports',
      'core.financials',
      'core.financials_history',
      'marts.companies_disagreement',
      'marts.financials_disagreement',
      'marts.financials_wide',
    ]);
  });

  test('leaves out a model of the user, and the models that read it', async () => {
    const models = await readModels();
    const own = models.map((model) =>
      model.model === 'core.financials' ? { ...model, text: `${model.text}\n-- mine` } : model,
    );
    const names = (await dividedModels(own)).map(({ model }) => model);
    expect(names).toContain('core.financials_history');
    for (const name of ['core.financials', 'core.dated_reports', 'marts.financials_wide'])
      expect(names).not.toContain(name);
  });
});
