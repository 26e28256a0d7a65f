import type { CoverageRecord } from '../../schemas/pipeline/landing.js';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { warehouseFile } from '../../src/store/data-folder.js';
import { writeEmptyWarehouse } from '../../src/warehouse/models/empty-warehouse.js';
import { openWarehouse, type Warehouse } from '../../src/warehouse/duckdb/open.js';
import { publish, type PublishRequest } from '../../src/warehouse/publish/publish.js';
import { landAnswers as land, type Answer } from '../../src/warehouse/models/cases/land-answers.js';
import { Data } from '../../src/store/data.js';

export { land, type Answer };

/** A temporary data folder, removed when the test ends. */
export function temporaryDataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-warehouse-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Prepares a data folder once for all tests of a file.
 * @returns a function that copies the prepared folder into a temporary data folder for one test
 */
export function prepareOnce(prepare: (dataDir: string) => Promise<void>): () => string {
  let prepared: string;
  beforeAll(async () => {
    prepared = mkdtempSync(path.join(tmpdir(), 'tidemark-prepared-'));
    await prepare(prepared);
  });
  afterAll(() => rmSync(prepared, { recursive: true, force: true }));
  return () => {
    const dataDir = temporaryDataDir();
    cpSync(prepared, dataDir, { recursive: true, verbatimSymlinks: true });
    return dataDir;
  };
}

/** Publishes, and opens the warehouse again: a publication closes it. */
export async function publishAndReopen(
  warehouse: Warehouse,
  dataDir: string,
  request: PublishRequest,
): Promise<Warehouse> {
  try {
    await publish(warehouse, dataDir, request);
  } finally {
    await warehouse.close();
  }
  return openWarehouse(new Data(dataDir));
}

/** Lands, loads and builds in a folder without a warehouse. */
export async function prepareBuilt(dataDir: string, answers: Answer[]): Promise<void> {
  await land(dataDir, answers);
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
  } finally {
    await warehouse.close();
  }
}

/** Opens a warehouse, which is empty in a new folder, and closes it when the test ends. */
export async function openTestWarehouse(dataDir: string): Promise<Warehouse> {
  if (!existsSync(warehouseFile(dataDir))) await writeEmptyWarehouse(dataDir);
  const warehouse = await openWarehouse(new Data(dataDir));
  onTestFinished(() => warehouse.close());
  return warehouse;
}

/** Lands, loads and builds; returns the warehouse. */
export async function buildFrom(answers: Answer[], personalData = true): Promise<Warehouse> {
  const dataDir = temporaryDataDir();
  await land(dataDir, answers);
  const warehouse = await openTestWarehouse(dataDir);
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { personalData });
  return warehouse;
}

/** Records of one finished market run: run, coverage and one search page. */
export function marketNight(night: {
  run: string;
  date: string;
  ids: number[];
  missing?: number;
  market?: string;
  asOfNow?: boolean;
  finished?: boolean;
  heldBack?: string;
}): Answer[] {
  const { run, date, ids, missing = 0, market = 'm', asOfNow = true, finished = true, heldBack = null } = night;
  const place = { run, date, market };
  const reported = ids.length + missing;
  return [
    {
      ...place,
      stream: 'runs',
      entity: run,
      at: `${date}T03:00:00.000Z`,
      body: {
        run_id: run,
        workflow_id: `snapshot/${market}/${date}`,
        workflow_type: 'marketSnapshot',
        market,
        date,
        as_of_now: asOfNow,
        started_at: `${date}T02:00:00.000Z`,
        finished_at: finished ? `${date}T03:00:00.000Z` : null,
        outcome: finished ? 'complete' : 'running',
        crawled: finished ? 'complete' : null,
        requests: 1,
        rows: 1,
        config_hash: 'c',
        filters: {},
        note: heldBack,
        held_back: heldBack,
      },
    },
    {
      ...place,
      stream: 'coverage',
      entity: market,
      at: `${date}T03:00:00.000Z`,
      body: {
        market,
        reported_total: reported,
        distinct_companies: ids.length,
        missing,
        share: ids.length / reported,
        why: [],
        causes: [],
        certificate: {
          proven: { found: ids.length, missing: 0 },
          moved: { found: 0, missing },
          unsplittable: { found: 0, missing: 0 },
          unproven: { found: 0, missing: 0 },
          unusable: { found: 0, missing: 0 },
          gone: 0,
        },
      } satisfies CoverageRecord,
    },
    {
      ...place,
      stream: 'prospecting',
      at: `${date}T02:10:00.000Z`,
      request: `POST /v2/prospecting ${run}`,
      body: { total_companies: reported, total_pages: 1, data: ids.map((id) => ({ id, name: `Company ${id}` })) },
    },
  ];
}
